import os

from django.conf import settings
from django.db.models import F
from django.http import FileResponse, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render

from polls.models import Question


def question(request, id):
    return render(request, 'polls/question.html', {'question': get_object_or_404(Question, id=id)})


def vote(request, id):
    choices = get_object_or_404(Question, id=id).choice_set
    choices.filter(id=request.POST['choice']).update(votes=F('votes') + 1)
    return redirect('results', id)


def results(request, id):
    return render(request, 'polls/results.html', {'question': get_object_or_404(Question, id=id)})


def counter(request):
    """How often a visitor came: the name of the first visit, and a number."""
    name = request.session.setdefault('name', request.GET.get('name', 'unknown'))
    count = request.session['count'] = request.session.get('count', 0) + 1
    return HttpResponse(f'{name} {count}', content_type='text/plain')


def browser(request):
    return FileResponse(open(os.path.join(settings.FOLDER, 'browser.html'), 'rb'))
