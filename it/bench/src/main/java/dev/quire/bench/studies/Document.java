package dev.quire.bench.studies;

import dev.quire.bench.peers.BarChart;
import dev.quire.bench.peers.Json;
import dev.quire.bench.peers.Machine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * The document about all studies, with a chapter for each. A run replaces the chapters of its own
 * studies and keeps the others. The text is in {@code it/bench/studies}; lines like <code>{{rates}}
 * </code> are the places of tables.
 *
 * @param texts the folder of the text
 * @param file the document
 * @param images the folder of its pictures
 */
record Document(Path texts, Path file, Path images) {
    private static final Pattern CHAPTER = Pattern.compile("^(?=## )", Pattern.MULTILINE);

    /**
     * How the figures of a chapter were made.
     *
     * @param revision the commit
     * @param minutes duration of the run
     * @param limits of open files and of queues for new connections
     * @param versions of the servers, by title
     */
    record Made(
            String revision,
            String date,
            long minutes,
            String command,
            int rounds,
            Machine machine,
            String limits,
            Map<String, String> versions) {

        String table() {
            var text = new StringBuilder("| | |\n| --- | --- |\n");
            row(text, "commit", revision);
            row(text, "date", date);
            row(text, "duration", minutes + " minutes");
            row(text, "command", "`" + command + "`");
            row(text, "machine", machine.toString());
            row(text, "limits", limits);
            row(text, "rounds", rounds == 1 ? "one" : rounds + ", interleaved");
            versions.forEach((title, version) -> row(text, title, version));
            return text.toString();
        }

        private static void row(StringBuilder text, String name, String value) {
            text.append("| ").append(name).append(" | ").append(value.strip()).append(" |\n");
        }
    }

    /** Writes the chapter and the picture of {@code study}, and the rounds as JSON beside. */
    void write(Study study, Findings findings, Made made, Path json) throws IOException {
        Files.createDirectories(images);
        var picture = "study-" + study.name() + ".svg";
        Files.writeString(
                images.resolve(picture),
                new BarChart(
                                study.title(),
                                List.of(
                                        "%s, %d processors, shared with load generator and origin; %s"
                                                .formatted(
                                                        made.machine().processor(),
                                                        made.machine().processors(),
                                                        made.date()),
                                        made.rounds() == 1
                                                ? "one round"
                                                : "medians of %d interleaved rounds; ratios are medians of the ratios per round"
                                                        .formatted(made.rounds())),
                                findings.groups())
                        .svg());
        Json.write(json, findings.cases());
        var chapters = chapters();
        chapters.put(study.title(), chapter(study, findings, made));
        var text = new StringBuilder(Files.readString(texts.resolve("head.md")).strip());
        for (var title : Studies.titles()) {
            if (chapters.containsKey(title)) {
                text.append("\n\n").append(chapters.get(title).strip());
            }
        }
        Files.writeString(file, text.append('\n'));
    }

    private Map<String, String> chapters() throws IOException {
        var chapters = new LinkedHashMap<String, String>();
        if (Files.exists(file)) {
            for (var part : CHAPTER.split(Files.readString(file), -1)) {
                if (part.startsWith("## ")) {
                    chapters.put(part.substring(3, part.indexOf('\n')).strip(), part);
                }
            }
        }
        return chapters;
    }

    private String chapter(Study study, Findings findings, Made made) throws IOException {
        var text = Files.readString(texts.resolve(study.name() + ".md"));
        var places = new LinkedHashMap<>(findings.tables());
        places.put("run", made.table());
        places.put("claims", Tables.claims(findings.claims()));
        for (var place : places.entrySet()) {
            text = text.replace("{{" + place.getKey() + "}}", place.getValue().strip());
        }
        return "## " + study.title() + "\n\n" + text;
    }
}
