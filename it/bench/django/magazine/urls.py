from django.urls import path

from magazine.views import home

urlpatterns = [path("", home)]
