package dev.quire.bench.studies;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/** The URLs of the election night, with their shares of the requests. */
record MixedPages(List<Kind> kinds) {

    /**
     * Pages that share a part of the requests evenly.
     *
     * @param share in percent
     * @param cookies the value of the field Cookie, or empty
     */
    record Kind(double share, String cookies, List<String> paths) {
        static Kind page(double share, String path) {
            return new Kind(share, "", List.of(path));
        }
    }

    /** The shares of the case. */
    static MixedPages of(List<String> articles) {
        return new MixedPages(
                List.of(
                        new Kind(60, "", articles),
                        Kind.page(3, "/main/home.nhn"),
                        Kind.page(8, "/president2012/index.nhn"),
                        Kind.page(8, "/president2012/news/index.nhn"),
                        Kind.page(8, "/president2012/trend/index.nhn"),
                        Kind.page(8, "/president2012/candidate/index.nhn"),
                        Kind.page(2, "/main.nhn?mode=LSD&sid=100"),
                        Kind.page(3, "/main.nhn?mode=LSD&sid=106")));
    }

    /** Returns these pages with {@code percent} of the requests for another page. */
    MixedPages with(double percent, String cookies, String path) {
        double rest = 1 - percent / 100;
        return new MixedPages(
                Stream.concat(
                                kinds.stream()
                                        .map(kind ->
                                                new Kind(
                                                        kind.share() * rest,
                                                        kind.cookies(),
                                                        kind.paths())),
                                Stream.of(new Kind(percent, cookies, List.of(path))))
                        .toList());
    }

    List<String> paths() {
        return kinds.stream().flatMap(kind -> kind.paths().stream()).toList();
    }

    /** Writes the file that {@code it/bench/load/mix.lua} reads. */
    void write(Path file) throws IOException {
        var text = new StringBuilder();
        for (var kind : kinds) {
            text.append(
                    String.format(Locale.ROOT, "%.2f %s", kind.share(), kind.cookies()).strip());
            kind.paths().forEach(path -> text.append('\n').append(path));
            text.append('\n');
        }
        Files.writeString(file, text);
    }
}
