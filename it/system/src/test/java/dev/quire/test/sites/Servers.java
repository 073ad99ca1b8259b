package dev.quire.test.sites;

import dev.quire.test.programs.RunningProgram;
import dev.quire.test.programs.WebServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The origins, running. */
final class Servers implements AutoCloseable {
    /** A file that proxies store. */
    static final int SMALL_BYTES = 1 << 20;

    private static final int SOUND_BYTES = 18 << 20;
    private static final Duration AGE_OF_FILES = Duration.ofDays(30);

    private final List<AutoCloseable> open = new ArrayList<>();
    private final RunningProgram express;
    private final RunningProgram files;
    private final RunningProgram tomcat;
    private final @Nullable RunningProgram django;
    private final @Nullable WordPress wordPress;

    /** The password of the applications, for this run only. */
    private final String secret = UUID.randomUUID().toString();

    /** An origin. */
    enum Name {
        EXPRESS("Express"),
        FILES("nginx"),
        TOMCAT("Tomcat"),
        DJANGO("Django"),
        WORDPRESS("WordPress");

        private final String title;

        Name(String title) {
            this.title = title;
        }

        @Override
        public String toString() {
            return title;
        }
    }

    Servers(Tools tools, Scale scale) throws IOException {
        try {
            var content = Files.createTempDirectory("content");
            open.add(() -> RunningProgram.delete(content));
            var sound = content.resolve("sound.wav");
            Numbers.writeSound(sound, SOUND_BYTES);
            Numbers.write(content.resolve("large.bin"), new byte[0], scale.fileBytes());
            Numbers.write(content.resolve("small.bin"), new byte[0], SMALL_BYTES);
            Files.createSymbolicLink(
                    content.resolve("docs"), tools.tomcat().resolve("webapps/docs"));
            var then = FileTime.from(Instant.now().minus(AGE_OF_FILES));
            for (var file :
                    List.of(sound, content.resolve("large.bin"), content.resolve("small.bin"))) {
                Files.setLastModifiedTime(file, then);
            }
            tomcat =
                    add(
                            RunningProgram.start(
                                    "tomcat", (folder, port) -> tomcat(tools, folder, port)));
            files =
                    add(
                            WebServer.NGINX.start(
                                    tools.nginx(), FILES.replace("CONTENT", content + "")));
            express =
                    add(
                            RunningProgram.start(
                                    "express", (folder, port) -> express(tools, port, sound)));
            var packages = tools.packages();
            if (packages == null) {
                django = null;
                wordPress = null;
            } else {
                django = add(Django.start(tools, packages.python(), secret));
                wordPress = new WordPress(tools, packages, secret);
                open.add(wordPress);
            }
        } catch (IOException | RuntimeException | Error e) {
            close();
            throw e;
        }
    }

    private RunningProgram add(RunningProgram program) {
        open.add(program);
        return program;
    }

    InetSocketAddress address(Name name) {
        return switch (name) {
            case EXPRESS -> express.address();
            case FILES -> files.address();
            case TOMCAT -> tomcat.address();
            case DJANGO -> started(django, name).address();
            case WORDPRESS -> started(wordPress, name).address();
        };
    }

    private static <T> T started(@Nullable T server, Name name) {
        if (server == null) {
            throw new IllegalStateException(name + " is not started");
        }
        return server;
    }

    String secret() {
        return secret;
    }

    URI url(Name name) {
        return URI.create("http://127.0.0.1:" + address(name).getPort());
    }

    private static ProcessBuilder express(Tools tools, int port, Path sound) {
        return Tools.node(
                tools.node(),
                tools.resources().resolve("app.js").toString(),
                Integer.toString(port),
                sound.toString());
    }

    private static final String FILES =
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
                sendfile on;
                gzip on;
                gzip_types text/css text/plain application/javascript;
                default_type application/octet-stream;
                types {
                    text/html html;
                    text/css css;
                    text/plain txt;
                    image/png png;
                }
                server {
                    listen 127.0.0.1:PORT;
                    root CONTENT;
                }
            }
            """;

    private static ProcessBuilder tomcat(Tools tools, Path base, int port) throws IOException {
        var home = tools.tomcat();
        for (var folder : List.of("conf", "logs", "temp", "work", "root")) {
            Files.createDirectory(base.resolve(folder));
        }
        for (var file : List.of("conf/web.xml", "conf/logging.properties")) {
            Files.copy(home.resolve(file), base.resolve(file));
        }
        Files.copy(tools.resources().resolve("browser.html"), base.resolve("root/browser.html"));
        Files.writeString(
                base.resolve("conf/tomcat-users.xml"),
                """
                <tomcat-users>
                  <user username="ada" password="lovelace" roles="tomcat"/>
                </tomcat-users>
                """);
        Files.writeString(
                base.resolve("conf/server.xml"),
                """
                <Server port="-1">
                  <Service name="Catalina">
                    <Connector port="%d" address="127.0.0.1" protocol="HTTP/1.1" compression="on"/>
                    <Engine name="Catalina" defaultHost="localhost">
                      <Realm className="org.apache.catalina.realm.MemoryRealm"/>
                      <Host name="localhost" appBase="none" autoDeploy="false" deployOnStartup="false">
                        <Context path="/examples" docBase="%s/webapps/examples"/>
                        <Context path="" docBase="%s/root"/>
                      </Host>
                    </Engine>
                  </Service>
                </Server>
                """
                        .formatted(port, home, base));
        var bin = home.resolve("bin");
        return new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Xmx256m",
                "-Dcatalina.home=" + home,
                "-Dcatalina.base=" + base,
                "-Djava.io.tmpdir=" + base.resolve("temp"),
                "-Djava.util.logging.manager=org.apache.juli.ClassLoaderLogManager",
                "-Djava.util.logging.config.file=" + base.resolve("conf/logging.properties"),
                "-cp",
                bin.resolve("bootstrap.jar") + ":" + bin.resolve("tomcat-juli.jar"),
                "org.apache.catalina.startup.Bootstrap",
                "start");
    }

    @Override
    public void close() {
        for (var one : open.reversed()) {
            try {
                one.close();
            } catch (Exception e) {
                throw new IllegalStateException("cannot close " + one, e);
            }
        }
        open.clear();
    }
}
