from geopar.service.metrics import Histogram, Metrics


def test_counts_add_up() -> None:
    histogram = Histogram((1.0, 2.0))
    for value in (0.5, 1.0, 1.5, 9.0):
        histogram.note(value)
    assert list(histogram.lines("x", (("route", '/"'),))) == [
        'x_bucket{route="/\\"",le="1"} 2',
        'x_bucket{route="/\\"",le="2"} 3',
        'x_bucket{route="/\\"",le="+Inf"} 4',
        'x_sum{route="/\\""} 12',
        'x_count{route="/\\""} 4',
    ]


def test_text() -> None:
    metrics = Metrics()
    metrics.request("GET", "/jobs/{id}", 200, 0.02)
    metrics.ended["finished"] += 2
    text = metrics.text({"geopar_queue_length": ("Waiting.", 3), "geopar_x_total": ("All.", 1)})
    lines = text.splitlines()
    assert 'geopar_requests_total{method="GET",route="/jobs/{id}",status="200"} 1' in lines
    assert 'geopar_jobs_ended_total{status="finished"} 2' in lines
    assert "# TYPE geopar_queue_length gauge" in lines
    assert "# TYPE geopar_x_total counter" in lines
    assert "geopar_queue_length 3" in lines
