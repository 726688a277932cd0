import pytest

from geopar.service.signatures import FRESH_SECONDS, is_signed, signature

MOMENT = 1_800_000_000


def test_a_signature_is_that_of_body_moment_and_secret() -> None:
    signed = signature("secret", b"{}", MOMENT)
    # printf '1800000000.{}' | openssl dgst -sha256 -hmac secret
    digest = "bb7079132825ac793cea8c013c1dd24d926b9b02132245b10588d9e5c0df70d7"
    assert signed == f"t={MOMENT},v1={digest}"
    assert is_signed("secret", b"{}", signed, MOMENT)
    assert is_signed("secret", b"{}", signed, MOMENT + FRESH_SECONDS)


@pytest.mark.parametrize(
    ("secret", "body", "header", "now"),
    [
        ("other", b"{}", signature("secret", b"{}", MOMENT), MOMENT),
        ("secret", b"{ }", signature("secret", b"{}", MOMENT), MOMENT),
        ("secret", b"{}", signature("secret", b"{}", MOMENT), MOMENT + FRESH_SECONDS + 1),
        ("secret", b"{}", signature("secret", b"{}", MOMENT), MOMENT - FRESH_SECONDS - 1),
        ("secret", b"{}", signature("secret", b"{}", MOMENT).replace("t=18", "t=19"), MOMENT),
        ("secret", b"{}", f"t={MOMENT}", MOMENT),
        ("secret", b"{}", f"t={MOMENT},v1=é", MOMENT),
        ("secret", b"{}", "t=x,v1=y", MOMENT),
        ("secret", b"{}", "", MOMENT),
    ],
)
def test_what_is_not_signed(secret: str, body: bytes, header: str, now: float) -> None:
    assert not is_signed(secret, body, header, now)
