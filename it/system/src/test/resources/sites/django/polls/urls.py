from django.contrib import admin
from django.urls import path

from polls import views

urlpatterns = [
    path('admin/', admin.site.urls),
    path('browser.html', views.browser),
    path('counter/', views.counter),
    path('polls/<int:id>/', views.question, name='question'),
    path('polls/<int:id>/vote/', views.vote, name='vote'),
    path('polls/<int:id>/results/', views.results, name='results'),
]
