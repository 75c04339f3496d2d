"""The Content-Security-Policy of a page."""

import base64
import hashlib
import re


def policy_of(html):
    (content,) = re.findall(r'<meta http-equiv="Content-Security-Policy" content="([^"]*)">', html)
    return dict(part.partition(" ")[::2] for part in content.split("; "))


def sha256(text):
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
