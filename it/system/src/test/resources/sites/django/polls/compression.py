from django.middleware.gzip import GZipMiddleware


class Compression(GZipMiddleware):
    # Django 4.2 adds up to 100 random bytes, which would hide differences in size.
    max_random_bytes = 0
