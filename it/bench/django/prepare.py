"""Creates the database, and finds how often the page is rendered to cost the CPU time of the case.

prepare.py MILLISECONDS
"""

import os
import sys
import time

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "magazine.settings")

import django

django.setup()

from django.db import connection
from django.test.utils import CaptureQueriesContext

from magazine.models import Link, Plugin, Section
from magazine.views import PAGE_BYTES, PASSES, STATEMENTS, rendered

SECTIONS = 3
TRIALS = 8
TOLERANCE = 0.03
TEXT = "A short text about the place, its people and the weather of the week."


def fill():
    with connection.schema_editor() as editor:
        for model in (Section, Plugin, Link):
            editor.create_model(model)
    # A statement for all sections, one for the plugins of each, and one for the links of each.
    plugins = STATEMENTS - 1 - SECTIONS
    numbers = [plugins // SECTIONS + (1 if i < plugins % SECTIONS else 0) for i in range(SECTIONS)]
    for i, number in enumerate(numbers):
        section = Section.objects.create(title=f"Section {i}", position=i)
        for j in range(number):
            plugin = Plugin.objects.create(section=section, position=j, title=f"N{j}", text=TEXT)
            Link.objects.create(plugin=plugin, position=0, title="on", target=f"/{i}/{j}/")


def seconds(passes):
    """The shortest of some: another process may disturb the others."""
    times = []
    for _ in range(5):
        begin = time.process_time()
        rendered(passes)
        times.append(time.process_time() - begin)
    return min(times)


def calibrated(goal):
    """Returns the number of passes that take so many seconds, or the nearest one that was tried."""
    passes, tried = 10, {}
    for _ in range(TRIALS):
        tried[passes] = seconds(passes)
        if abs(tried[passes] / goal - 1) < TOLERANCE:
            return passes
        once = seconds(1)
        each = (tried[passes] - once) / (passes - 1)
        passes = max(2, round((goal - once) / max(each, 1e-6)) + 1)
    return min(tried, key=lambda each: abs(tried[each] - goal))


fill()
with CaptureQueriesContext(connection) as queries:
    page = rendered(1)
if len(page) != PAGE_BYTES or len(queries) != STATEMENTS:
    sys.exit(f"the page has {len(page)} bytes and {len(queries)} statements")
PASSES.write_text(str(calibrated(float(sys.argv[1]) / 1000)))
