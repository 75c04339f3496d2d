"""The page of a game and the calculator in a browser: what is read from them."""

PHONE, DESK = (390, 844), (1280, 900)


def chance(page):
    return page.locator(".answer .big strong").inner_text()


def percent(p):
    if 0 < p < 0.005:
        return "<1%"
    if 0.995 < p < 1 - 1e-12:
        return ">99%"
    return f"{100 * p:.0f}%"
