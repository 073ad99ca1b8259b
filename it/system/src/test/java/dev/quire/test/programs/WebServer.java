package dev.quire.test.programs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

/** An installed proxy or server of another project. */
public enum WebServer {
    VARNISH {
        @Override
        List<String> command(Path program, Path folder, int port) {
            return List.of(
                    program.toString(),
                    "-F",
                    "-j",
                    "none",
                    "-n",
                    folder.resolve("work").toString(),
                    "-a",
                    "127.0.0.1:" + port,
                    "-s",
                    "malloc,64m",
                    "-p",
                    "feature=+esi_ignore_other_elements,+esi_disable_xml_check",
                    "-f",
                    folder.resolve("configuration").toString());
        }
    },
    NGINX {
        @Override
        List<String> command(Path program, Path folder, int port) {
            return List.of(
                    program.toString(),
                    "-p",
                    folder.toString(),
                    "-e",
                    folder.resolve("errors").toString(),
                    "-c",
                    folder.resolve("configuration").toString());
        }
    };

    abstract List<String> command(Path program, Path folder, int port);

    /**
     * Starts the program at {@code program}.
     *
     * @param configuration with PORT for its port and FOLDER for its folder
     */
    public RunningProgram start(Path program, String configuration) throws IOException {
        return RunningProgram.start(
                toString(),
                (folder, port) -> {
                    Files.writeString(
                            folder.resolve("configuration"),
                            configuration
                                    .replace("PORT", Integer.toString(port))
                                    .replace("FOLDER", folder.toString()));
                    return new ProcessBuilder(command(program, folder, port));
                });
    }

    /** Returns its name in lower case. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
