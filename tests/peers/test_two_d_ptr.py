from peer_laws import Laws


class TestTwoDPtr(Laws):
    learner = "2d-ptr"
