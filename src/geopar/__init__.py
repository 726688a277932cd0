"""Routes for fleets of different vehicles."""
