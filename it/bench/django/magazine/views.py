"""The home page. It costs 60 statements and, by repeated rendering, about 150 ms of CPU time."""

from django.conf import settings
from django.http import HttpResponse
from django.template.loader import render_to_string
from django.views.decorators.cache import cache_control

from magazine.models import Section

PAGE_BYTES = 3440
STATEMENTS = 60
COUNT = settings.FOLDER / "requests"
PASSES = settings.FOLDER / "passes"


def counted(get_response):
    """Adds a byte to a file for each request: the workers share it."""

    def answer(request):
        with open(COUNT, "ab", buffering=0) as count:
            count.write(b".")
        return get_response(request)

    return answer


def passes():
    return int(PASSES.read_text()) if PASSES.exists() else 1


def sections():
    """Reads the page as a system with plugins does: each part by a statement of its own."""
    found = []
    for section in Section.objects.order_by("position"):
        plugins = []
        for plugin in section.plugins.order_by("position"):
            links = list(plugin.links.order_by("position"))
            plugins.append({"plugin": plugin, "links": links})
        found.append({"section": section, "plugins": plugins})
    return found


def rendered(count):
    page = {"sections": sections()}
    for _ in range(count):
        body = render_to_string("home.html", page)
    head, foot = body.split("<colophon/>")
    missing = PAGE_BYTES - len((head + foot).encode())
    words = "Printed on paper from forests nearby. " * 100
    return (head + words[:missing] + foot).encode()


@cache_control(public=True, max_age=3600)
def home(request):
    return HttpResponse(rendered(passes()))
