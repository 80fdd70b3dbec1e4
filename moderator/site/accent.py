"""The club's own colour for buttons and links: as dark on light pages, and as light on dark ones, as can be read."""

from __future__ import annotations

import colorsys

from moderator.render.mail import load_style_tokens

READABLE = 4.5
"""Least contrast of text, by WCAG 2."""


def write_accent_styles(accent: str) -> str:
    """Write the style rules that put the colour in the place of the tokens' own."""
    day, night = load_style_tokens(), load_style_tokens(dark=True)
    light = _write_tokens(adapt_colour(accent, day["ground"]), day["accent-ink"])
    dark = _write_tokens(adapt_colour(accent, night["card"]), night["accent-ink"])
    return f":root{{{light}}}@media (prefers-color-scheme:dark){{:root{{{dark}}}}}"


def _write_tokens(colour: str, ink: str) -> str:
    field = "color-mix(in srgb,var(--accent) 14%,var(--card))"
    return f"--accent:{colour};--accent-ink:{ink};--accent-field:{field}"


def adapt_colour(colour: str, ground: str) -> str:
    """Return the colour, made darker on a light ground or lighter on a dark one until it can be read there."""
    step = -0.02 if _compute_luminance(ground) > 0.5 else 0.02
    hue, light, full = colorsys.rgb_to_hls(*_split_colour(colour))
    while compute_contrast(colour, ground) < READABLE:
        light += step
        colour = "#" + "".join(f"{round(part * 255):02X}" for part in colorsys.hls_to_rgb(hue, light, full))
    return colour


def compute_contrast(one: str, other: str) -> float:
    """Compute the contrast of two colours, 1 to 21."""
    low, high = sorted(map(_compute_luminance, (one, other)))
    return (high + 0.05) / (low + 0.05)


def _compute_luminance(colour: str) -> float:
    parts = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in _split_colour(colour)]
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]


def _split_colour(colour: str) -> tuple[float, float, float]:
    red, green, blue = (int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5))
    return red, green, blue
