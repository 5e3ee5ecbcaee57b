"""What is at points of a room: each object fills the points of a grid that it covers, or single points are asked.

A row of ``outlines`` is an object: the pose that moves it, how many corners it has (0: a disc), the middle of a disc
and its radius, then the corners, counterclockwise. Later rows are in front of earlier ones.
"""

import numpy as np

from mensura.core.compiled import door, rule

POSE, CORNERS, MIDDLE_X, MIDDLE_Y, RADIUS, FIRST = range(6)
MOST_CORNERS = 4
WIDTH = FIRST + 2 * MOST_CORNERS


@rule
def _inside(outline, x, y):
    """Whether a point in the frame of an object lies in it."""
    corners = int(outline[CORNERS])
    if corners == 0:
        dx = x - outline[MIDDLE_X]
        dy = y - outline[MIDDLE_Y]
        return dx * dx + dy * dy <= outline[RADIUS] * outline[RADIUS]
    ax = outline[FIRST + 2 * corners - 2]
    ay = outline[FIRST + 2 * corners - 1]
    for k in range(corners):
        bx = outline[FIRST + 2 * k]
        by = outline[FIRST + 2 * k + 1]
        if (bx - ax) * (y - ay) - (by - ay) * (x - ax) < 0.0:
            return False
        ax = bx
        ay = by
    return True


@door
def see(outlines, poses, own, skipped, grid, out):
    """Which object is seen at each point of a grid in the frame of a body; -1: none.

    ``own`` is the number of the body's pose, ``skipped`` its own outline; ``grid`` has the place of the first point and
    the distances between points.
    """
    rows, columns = out.shape
    for y in range(rows):
        for x in range(columns):
            out[y, x] = -1
    body = int(own)
    px, py, turned = poses[body, 0], poses[body, 1], poses[body, 2]
    c, s = np.cos(turned), np.sin(turned)
    for n in range(outlines.shape[0]):
        outline = outlines[n]
        pose = int(outline[POSE])
        if pose < 0 or n == skipped:
            continue
        angle = poses[pose, 2]
        oc, os = np.cos(angle), np.sin(angle)
        ox, oy = poses[pose, 0] - px, poses[pose, 1] - py
        corners = int(outline[CORNERS])
        # The box around it, in the frame of the body.
        low_x = low_y = 1e300
        high_x = high_y = -1e300
        for k in range(max(corners, 1)):
            if corners == 0:
                lx, ly = outline[MIDDLE_X], outline[MIDDLE_Y]
            else:
                lx, ly = outline[FIRST + 2 * k], outline[FIRST + 2 * k + 1]
            wx = ox + lx * oc - ly * os
            wy = oy + lx * os + ly * oc
            bx = wx * c + wy * s
            by = wy * c - wx * s
            low_x, high_x = min(low_x, bx), max(high_x, bx)
            low_y, high_y = min(low_y, by), max(high_y, by)
        r = outline[RADIUS]
        x0 = max((low_x - r - grid[0]) / grid[2], 0.0)
        x1 = min((high_x + r - grid[0]) / grid[2], columns - 1.0)
        y0 = max((low_y - r - grid[1]) / grid[3], 0.0)
        y1 = min((high_y + r - grid[1]) / grid[3], rows - 1.0)
        if x0 > x1 or y0 > y1:
            continue
        for j in range(int(np.ceil(y0)), int(np.floor(y1)) + 1):
            gy = grid[1] + j * grid[3]
            for i in range(int(np.ceil(x0)), int(np.floor(x1)) + 1):
                gx = grid[0] + i * grid[2]
                # From the frame of the body to that of the object.
                wx = gx * c - gy * s - ox
                wy = gx * s + gy * c - oy
                if _inside(outline, wx * oc + wy * os, wy * oc - wx * os):
                    out[j, i] = n


@rule
def _find(outlines, poses, skipped, points, out):
    """Which object is at each point of the room, the foremost of several; -1: none."""
    for p in range(points.shape[0]):
        out[p] = -1
    for n in range(outlines.shape[0]):
        outline = outlines[n]
        pose = int(outline[POSE])
        if pose < 0 or n == skipped:
            continue
        ox, oy, angle = poses[pose, 0], poses[pose, 1], poses[pose, 2]
        oc, os = np.cos(angle), np.sin(angle)
        for p in range(points.shape[0]):
            wx = points[p, 0] - ox
            wy = points[p, 1] - oy
            if _inside(outline, wx * oc + wy * os, wy * oc - wx * os):
                out[p] = n


@door
def feel(outlines, poses, skipped, points, out):
    """Which object is at each point of the room, the foremost of several; -1: none."""
    _find(outlines, poses, skipped, points, out)


@door
def sense(outlines, poses, own, skipped, hands, sensors, readings, points, found, out):
    """All aspects of touch and pose of a body, in the order of :mod:`mensura.worlds.pagi.contract`.

    ``sensors`` has 8 of the body, then 5 of each hand, in their frames; ``points`` gets their places, and ``found``
    what each of them is in. The last row of ``readings`` is nothing.
    """
    body = int(own)
    x, y, angle = poses[body, 0], poses[body, 1], poses[body, 2]
    c, s = np.cos(angle), np.sin(angle)
    count = sensors.shape[0]
    for p in range(count):
        part = body
        if p >= 8:
            part = int(hands[(p - 8) // 5])
        points[p, 0] = poses[part, 0] + sensors[p, 0] * c - sensors[p, 1] * s
        points[p, 1] = poses[part, 1] + sensors[p, 0] * s + sensors[p, 1] * c
    _find(outlines, poses, skipped, points, found)
    width = readings.shape[1]
    last = readings.shape[0] - 1
    for p in range(count):
        n = found[p]
        if n < 0:
            n = last
        for k in range(width):
            out[p * width + k] = readings[n, k]
    at = count * width
    out[at], out[at + 1], out[at + 2], out[at + 3] = poses[body, 3], poses[body, 4], x, y
    for hand in range(2):
        dx = poses[int(hands[hand]), 0] - x
        dy = poses[int(hands[hand]), 1] - y
        out[at + 4 + 2 * hand] = dx * c + dy * s
        out[at + 5 + 2 * hand] = dy * c - dx * s
    out[at + 8] = angle


@door
def stretch(ropes, poses, half, solid, visible):
    """Lay the outlines of ropes between what they tie: row of the outline, poses of both ends."""
    for n in range(ropes.shape[0]):
        row, a, b = ropes[n, 0], ropes[n, 1], ropes[n, 2]
        ax, ay, bx, by = poses[a, 0], poses[a, 1], poses[b, 0], poses[b, 1]
        length = max(np.hypot(bx - ax, by - ay), 1e-9)
        nx, ny = -(by - ay) / length * half, (bx - ax) / length * half
        for k in range(4):
            x, y = (ax, ay) if k in (0, 3) else (bx, by)
            side = -1.0 if k < 2 else 1.0
            solid[row, FIRST + 2 * k] = visible[row, FIRST + 2 * k] = x + side * nx
            solid[row, FIRST + 2 * k + 1] = visible[row, FIRST + 2 * k + 1] = y + side * ny


@door
def look_at(numbers, looks, first, out):
    """What is seen at each point, from a place in ``out`` on: red, green, blue and roughness.

    The last row of ``looks`` is nothing.
    """
    last = looks.shape[0] - 1
    rows, columns = numbers.shape
    at = first
    for y in range(rows):
        for x in range(columns):
            n = numbers[y, x]
            if n < 0:
                n = last
            for k in range(4):
                out[at + k] = looks[n, k]
            at += 4


@door
def write_felt(aspects, touches, most, pose, out):
    """The readings of touch, then from ``pose`` on what else is felt, none of it beyond ``most``."""
    for k in range(touches):
        out[k] = aspects[k]
    for k in range(aspects.shape[0] - touches):
        out[pose + k] = min(max(aspects[touches + k], -most), most)
