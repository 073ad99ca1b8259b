package dev.quire.test.sites;

import dev.quire.test.programs.RunningProgram;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Django's admin and an application with polls, on Gunicorn and SQLite. */
final class Django {
    static final String ADMIN = "ada";

    private Django() {}

    static RunningProgram start(Tools tools, Path python, String secret) throws IOException {
        return RunningProgram.start(
                "django",
                (folder, port) -> {
                    Tree.copy(tools.resources().resolve("django"), folder);
                    Files.copy(
                            tools.resources().resolve("browser.html"),
                            folder.resolve("browser.html"));
                    var steps =
                            """
                            "$0" -m django migrate --run-syncdb --verbosity 0 &&
                            "$0" -m django createsuperuser --noinput \
                                --username %s --email ada@site.example &&
                            exec "$0" -m gunicorn --bind 127.0.0.1:%d --workers 2 --threads 4 \
                                --worker-tmp-dir . polls.wsgi
                            """
                                    .formatted(ADMIN, port);
                    var builder =
                            Account.run(folder, List.of("sh", "-c", steps, python.toString()))
                                    .directory(folder.toFile());
                    var environment = builder.environment();
                    environment.put("DJANGO_SETTINGS_MODULE", "polls.settings");
                    environment.put("DJANGO_SUPERUSER_PASSWORD", secret);
                    environment.put("FOLDER", folder.toString());
                    environment.put("PYTHONPATH", folder.toString());
                    environment.put("SECRET", secret);
                    return builder;
                });
    }
}
