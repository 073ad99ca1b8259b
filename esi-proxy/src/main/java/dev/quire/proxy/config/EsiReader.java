package dev.quire.proxy.config;

import dev.quire.core.assemble.ErrorPolicy;
import dev.quire.core.assemble.Limits;
import dev.quire.core.expression.Dialect;
import dev.quire.core.expression.Escape;
import dev.quire.core.expression.VariableRules;
import dev.quire.core.parse.ParseOptions;
import java.util.LinkedHashMap;
import java.util.Map;

/** Reads the {@code esi} section. */
final class EsiReader {

    /** Whether values from the request are HTML-escaped. */
    private static final ValueParser<Boolean> ESCAPE = ValueParser.eitherOf("html", "none");

    private EsiReader() {}

    static EsiConfig esi(Section section) {
        var defaults = EsiConfig.DEFAULTS;
        var limits = defaults.limits();
        boolean escapes = section.value("escape", ESCAPE, defaults.variables().escapes());
        return new EsiConfig(
                section.list("content-types", ValueParser.MEDIA_TYPE, defaults.contentTypes()),
                section.list("allowed-hosts", ValueParser.AUTHORITY, defaults.allowedHosts()),
                section.value("device-token", ValueParser.DEVICE_TOKEN, defaults.deviceToken()),
                new Limits(
                        section.value("max-depth", ValueParser.number(0, 100), limits.maxDepth()),
                        section.value(
                                "max-includes",
                                ValueParser.number(0, 10_000),
                                limits.maxIncludes()),
                        limits.maxInFlight()),
                section.value("max-document", ValueParser.bytes(1), defaults.maxDocumentBytes()),
                section.value("max-page", ValueParser.LIMIT, defaults.maxPageBytes()),
                section.value(
                        "include-timeout", ConfigurationReader.POSITIVE, defaults.includeTimeout()),
                section.value(
                        "page-deadline", ConfigurationReader.POSITIVE, defaults.pageDeadline()),
                section.value("on-error", ValueParser.oneOf(ErrorPolicy.class), defaults.onError()),
                section.value("strict", ValueParser.TRUTH, defaults.isStrict()),
                section.value("pass-set-cookie", ValueParser.TRUTH, defaults.passSetCookie()),
                section.value("trust-downstream", ValueParser.TRUTH, defaults.trustDownstream()),
                variables(section, escapes),
                reading(section, escapes));
    }

    private static VariableRules variables(Section section, boolean escapes) {
        var defaults = EsiConfig.DEFAULTS.variables();
        var plain = new LinkedHashMap<String, String>();
        var dictionaries = new LinkedHashMap<String, Map<String, String>>();
        section.section(
                "variables",
                names -> {
                    for (var name : names.names(ValueParser.VARIABLE)) {
                        if (names.isMapping(name)) {
                            dictionaries.put(
                                    name,
                                    names.values(name, ValueParser.VARIABLE_KEY, ValueParser.TEXT));
                        }
                        if (names.isSingle(name)) {
                            names.optional(name, ValueParser.TEXT)
                                    .ifPresent(value -> plain.put(name, value));
                        }
                    }
                    return names;
                });
        return new VariableRules(
                section.list(
                        "denied-cookies", ValueParser.COOKIE_PATTERN, defaults.deniedCookies()),
                section.value("decode-query", ValueParser.TRUTH, defaults.decodesQuery()),
                section.optional("args-prefix", ValueParser.ARGUMENT_PREFIX),
                plain,
                dictionaries,
                section.value("response-functions", ValueParser.SWITCH, defaults.changesResponse()),
                escapes);
    }

    private static ParseOptions reading(Section section, boolean escapes) {
        var defaults = EsiConfig.DEFAULTS.reading();
        return new ParseOptions(
                defaults.notation(),
                section.value("dialect", ValueParser.oneOf(Dialect.class), defaults.dialect()),
                section.value(
                        "process-html-comments", ValueParser.TRUTH, defaults.opensHtmlComments()),
                escapes ? Escape.MARKUP : Escape.NONE);
    }
}
