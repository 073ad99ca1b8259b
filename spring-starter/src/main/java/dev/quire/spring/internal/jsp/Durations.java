package dev.quire.spring.internal.jsp;

import jakarta.servlet.jsp.JspTagException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.convert.DurationStyle;

/**
 * Parses durations in the syntax of the starter's annotations: {@code 30s}, {@code 5m}, {@code
 * 500ms}.
 */
final class Durations {

    private Durations() {}

    /**
     * Returns the duration in the attribute of a tag.
     *
     * @throws JspTagException naming tag and attribute, if it is malformed
     */
    static Duration read(String text, String attribute, ElementTag tag) throws JspTagException {
        try {
            var duration = DurationStyle.detectAndParse(text);
            // a bare number would be milliseconds, which is not intended here
            if (text.chars().anyMatch(Character::isLetter) && !duration.isNegative()) {
                return duration;
            }
        } catch (IllegalArgumentException | ArithmeticException unreadable) {
            throw wrong(text, attribute, tag, unreadable);
        }
        throw wrong(text, attribute, tag, null);
    }

    private static JspTagException wrong(
            String text, String attribute, ElementTag tag, @Nullable Exception cause) {
        return new JspTagException(
                "%s=\"%s\" of %s is not a duration (expected for example 30s, 5m or 500ms)"
                        .formatted(attribute, text, tag.name()),
                cause);
    }
}
