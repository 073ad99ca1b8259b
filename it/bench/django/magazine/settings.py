"""One page, SQLite, no sessions. MAGAZINE_FOLDER has the database and the count of requests."""

import os
from pathlib import Path

FOLDER = Path(os.environ["MAGAZINE_FOLDER"])
SECRET_KEY = "signs nothing"
DEBUG = False
ALLOWED_HOSTS = ["*"]
INSTALLED_APPS = ["magazine"]
ROOT_URLCONF = "magazine.urls"
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "magazine.views.counted",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
]
TEMPLATES = [
    {"BACKEND": "django.template.backends.django.DjangoTemplates", "APP_DIRS": True}
]
DATABASES = {
    "default": {
        "ENGINE": "django.db.backends.sqlite3",
        "NAME": FOLDER / "magazine.sqlite3",
        # Connections remain open between requests.
        "CONN_MAX_AGE": None,
    }
}
