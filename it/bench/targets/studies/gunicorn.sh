#!/usr/bin/env bash
# title: Django
# version: "$QUIRE_BENCH_DJANGO/bin/python" -c 'import django, gunicorn; print("Django", django.__version__, "on gunicorn", gunicorn.__version__)'
# dialect: none
#
# The Django site in it/bench/django, in two processes, with the Python of the folder
# QUIRE_BENCH_DJANGO. The number of requests is the size of the file FOLDER/requests.
set -euo pipefail
export MAGAZINE_FOLDER=$3 PYTHONPATH=$QUIRE_ROOT/it/bench/django PYTHONDONTWRITEBYTECODE=1

"$QUIRE_BENCH_DJANGO/bin/python" "$PYTHONPATH/prepare.py" "$QUIRE_BENCH_MILLIS"
exec "$QUIRE_BENCH_DJANGO/bin/python" -m gunicorn --workers 2 --bind "127.0.0.1:$2" \
  --timeout 120 --worker-tmp-dir "$3" magazine.wsgi
