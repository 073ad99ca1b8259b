from django.db import models


class Section(models.Model):
    title = models.CharField(max_length=80)
    position = models.IntegerField()


class Plugin(models.Model):
    """A part of a page, such as a text or a list of links, in one of its sections."""

    section = models.ForeignKey(Section, models.CASCADE, related_name="plugins")
    position = models.IntegerField()
    title = models.CharField(max_length=80)
    text = models.TextField()


class Link(models.Model):
    plugin = models.ForeignKey(Plugin, models.CASCADE, related_name="links")
    position = models.IntegerField()
    title = models.CharField(max_length=80)
    target = models.CharField(max_length=80)
