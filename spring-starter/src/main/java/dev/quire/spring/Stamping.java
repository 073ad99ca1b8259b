package dev.quire.spring;

import dev.quire.core.http.Stamp;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;

/**
 * What becomes of the stamps of one response.
 *
 * @param placeholder they are written with
 * @param announced the surrogate's own, which takes its place outside; null if it announced none
 * @param isForPage whether a page is assembled here, which reads them
 * @param inert told of tags without one
 */
record Stamping(
        Placeholder placeholder, @Nullable Stamp announced, boolean isForPage, InertTags inert) {

    /**
     * Takes the stamps out of what is sent, or null if they stay for those who read them.
     *
     * @param isNeverEsi whether nobody does, because the handler says so
     */
    @Nullable StampSwap removal(boolean isNeverEsi) {
        boolean isRead = !isNeverEsi && (announced != null || isForPage);
        return placeholder.isOn() && !isRead ? placeholder.removal() : null;
    }

    /** Says that the tags of {@code response} bear the stamp that was asked for. */
    void acknowledge(HttpServletResponse response) {
        if (announced != null && Documents.asksForEsi(response)) {
            response.setHeader(
                    CommitGuard.SURROGATE_CONTROL,
                    "%s, stamp=\"%s\""
                            .formatted(
                                    String.join(
                                            ", ",
                                            response.getHeaders(CommitGuard.SURROGATE_CONTROL)),
                                    announced.text()));
        }
    }

    /** Looks for tags that will not run, in a document where others do. */
    void hint(String handler, HeldBytes document) {
        if (placeholder.isOn()) {
            inert.lookIn(handler, document);
        }
    }
}
