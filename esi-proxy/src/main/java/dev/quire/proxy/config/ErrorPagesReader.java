package dev.quire.proxy.config;

import dev.quire.core.rule.ErrorPageRule;
import dev.quire.core.rule.ErrorPageRules;
import dev.quire.core.rule.HostPattern;
import dev.quire.core.rule.Matchers.StatusRange;
import dev.quire.core.rule.PathPattern;
import java.util.Optional;

/** Reads {@code error-pages}. */
final class ErrorPagesReader {
    private static final ValueParser<StatusRange> STATUS =
            ValueParser.scalar(
                    "status",
                    "a status from 400 to 599, a class such as 5xx, or a range such as 500-504",
                    "[45]([0-9][0-9](-[45][0-9][0-9])?|xx)",
                    text ->
                            RuleTexts.STATUSES
                                    .reading()
                                    .apply(text)
                                    .filter(range -> range.first() >= 400));

    private static final ValueParser<String> PAGE =
            ValueParser.matching(
                    "path",
                    "a path with an optional query, such as /errors/{status}.html",
                    "/[!-~]{0,511}",
                    ValueParser.TARGET.reading());

    private ErrorPagesReader() {}

    static ErrorPageRules errorPages(Section root) {
        return new ErrorPageRules(
                root.sections("error-pages", ErrorPagesReader::errorPage).stream()
                        .flatMap(Optional::stream)
                        .toList());
    }

    private static Optional<ErrorPageRule> errorPage(Section section) {
        var host = section.value("host", ValueParser.HOST_PATTERN, "*");
        var path = section.value("path", ValueParser.PATH_PATTERN, "/**");
        var statuses = section.oneOrMore("status", STATUS);
        var intercepted = section.oneOrMore("intercept", STATUS);
        var page = section.required("page", PAGE);
        boolean isForJson = section.value("json", ValueParser.TRUTH, false);
        if (statuses.isEmpty() && intercepted.isEmpty()) {
            section.wrong(
                    "status",
                    "no status is given",
                    "status, intercept or both, each " + STATUS.expected());
        }
        return page.map(target ->
                new ErrorPageRule(
                        new HostPattern(host),
                        new PathPattern(path),
                        statuses,
                        intercepted,
                        target,
                        isForJson));
    }
}
