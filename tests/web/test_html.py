"""What all pages share: their policy, packed data, and scripts as one."""

from analyser.web.html import with_security_policy
from tests.helpers.policy import policy_of, sha256

HEAD = '<!doctype html>\n<meta charset="utf-8">\n'
PAGE = HEAD + '<style>b {}</style><script>\n1;</script><script type="text/plain">x</script>'


def test_scripts_and_styles_are_allowed_by_hash_and_nothing_else():
    assert policy_of(with_security_policy(PAGE)) == {
        "default-src": "'none'",
        "img-src": "data:",
        "base-uri": "'none'",
        "form-action": "'none'",
        "script-src": sha256("\n1;"),
        "style-src": sha256("b {}"),
    }
