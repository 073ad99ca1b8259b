package dev.quire.test;

import java.util.List;
import java.util.stream.Collectors;

/** The traces of several pages, as reported with a failed test. */
public final class Traces {
    private Traces() {}

    /** As text, see {@link AssemblyTrace#text}. */
    public static String text(List<Page> pages) {
        return pages.stream().map(page -> page.trace().text()).collect(Collectors.joining("\n"));
    }

    /** As one document, see {@link AssemblyTrace#html}. */
    public static String html(List<Page> pages) {
        return TraceHtml.of(pages.stream().map(Page::trace).toList());
    }
}
