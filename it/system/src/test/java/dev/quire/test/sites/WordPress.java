package dev.quire.test.sites;

import dev.quire.test.programs.RunningProgram;
import dev.quire.test.programs.WebServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;

/** WordPress on PHP-FPM and MariaDB behind nginx; each {@code Host} is a site to install. */
final class WordPress implements AutoCloseable {
    static final String ADMIN = "ada";

    /** A site that is installed and has readable URLs, the same for all columns. */
    static final String HOST = "site.example";

    /** A field of responses by nginx with a value of its own for each request. */
    static final String SERVED = "X-Served";

    /** The condition of the request that nginx got; absent without. */
    static final String CONDITION = "X-Condition";

    private final List<RunningProgram> programs = new ArrayList<>();
    private final InetSocketAddress address;

    WordPress(Tools tools, Tools.Packages packages, String secret) throws IOException {
        try {
            var database =
                    RunningProgram.startOnSocket("mariadb", folder -> mariadb(packages, folder));
            programs.add(database);
            var php = RunningProgram.startOnSocket("php", folder -> php(tools, packages, folder));
            programs.add(php);
            var nginx =
                    WebServer.NGINX.start(
                            tools.nginx(),
                            NGINX.replace("SITE", site(php.folder()).toString())
                                    .replace("PHP_SOCKET", php.socket().toString())
                                    .replace("DATABASE_SOCKET", database.socket().toString())
                                    .replace("SECRET_VALUE", secret));
            programs.add(nginx);
            address = nginx.address();
            WordPressRows.prepare(new User(address, HOST), secret);
        } catch (IOException | RuntimeException | Error e) {
            close();
            throw e;
        }
    }

    InetSocketAddress address() {
        return address;
    }

    private static Path site(Path folder) {
        return folder.resolve("site");
    }

    /** Without accounts: only the owner of the folder reaches the socket. */
    private static ProcessBuilder mariadb(Tools.Packages packages, Path folder) throws IOException {
        var start = folder.resolve("start.sql");
        Files.writeString(start, "CREATE DATABASE wordpress;\n");
        var steps =
                """
                "$0" --no-defaults --auth-root-authentication-method=normal --skip-test-db \
                    --datadir="$2/data" >"$2/install" 2>&1 || { cat "$2/install"; exit 1; }
                exec "$1" --no-defaults --datadir="$2/data" --socket="$2/socket" \
                    --pid-file="$2/pid" --init-file="$2/start.sql" --skip-networking \
                    --skip-grant-tables --innodb-flush-log-at-trx-commit=0
                """;
        return Account.run(
                folder,
                List.of(
                        "sh",
                        "-c",
                        steps,
                        packages.mariadbInstall().toString(),
                        packages.mariadb().toString(),
                        folder.toString()));
    }

    private static ProcessBuilder php(Tools tools, Tools.Packages packages, Path folder)
            throws IOException {
        var site = site(folder);
        Tree.copy(packages.wordpress(), site);
        Files.copy(
                tools.resources().resolve("wordpress/wp-config.php"),
                site.resolve("wp-config.php"),
                StandardCopyOption.REPLACE_EXISTING);
        Files.copy(tools.resources().resolve("browser.html"), site.resolve("browser.html"));
        Files.createDirectory(folder.resolve("files"));
        var pool = folder.resolve("pool");
        Files.writeString(
                pool,
                """
                [global]
                daemonize = no
                error_log = FOLDER/errors
                [site]
                listen = FOLDER/socket
                pm = static
                pm.max_children = 8
                php_admin_value[sendmail_path] = /bin/true
                php_admin_value[sys_temp_dir] = FOLDER/files
                php_admin_value[upload_tmp_dir] = FOLDER/files
                """
                        .replace("FOLDER", folder.toString()));
        return Account.run(
                folder, List.of(packages.php().toString(), "--nodaemonize", "-y", pool.toString()));
    }

    private static final String NGINX =
            """
            daemon off;
            master_process off;
            pid FOLDER/pid;
            events {}
            http {
                access_log off;
                client_body_temp_path FOLDER/body;
                proxy_temp_path FOLDER/proxy;
                fastcgi_temp_path FOLDER/fastcgi;
                uwsgi_temp_path FOLDER/uwsgi;
                scgi_temp_path FOLDER/scgi;
                include /etc/nginx/mime.types;
                client_max_body_size 16m;
                gzip on;
                gzip_vary on;
                gzip_types text/css text/plain application/javascript application/json;
                server {
                    listen 127.0.0.1:PORT;
                    root SITE;
                    index index.php;
                    add_header X-Served $request_id;
                    add_header X-Condition $http_if_none_match$http_if_modified_since;
                    location / {
                        try_files $uri $uri/ /index.php?$args;
                    }
                    location ~ \\.php$ {
                        try_files $uri =404;
                        include /etc/nginx/fastcgi_params;
                        # With the port, which Debian's parameters may lack.
                        fastcgi_param HTTP_HOST $http_host;
                        fastcgi_param SCRIPT_FILENAME $document_root$fastcgi_script_name;
                        fastcgi_param DATABASE DATABASE_SOCKET;
                        fastcgi_param SECRET SECRET_VALUE;
                        fastcgi_read_timeout 120s;
                        fastcgi_pass unix:PHP_SOCKET;
                    }
                }
            }
            """;

    @Override
    public void close() {
        programs.reversed().forEach(RunningProgram::close);
        programs.clear();
    }
}
