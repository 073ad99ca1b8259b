package dev.quire.core.parse;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.quire.core.expression.Escape;
import dev.quire.core.expression.Expression;
import dev.quire.core.expression.Template;
import dev.quire.core.expression.Value;
import dev.quire.core.parse.EsiNode.OnError;
import dev.quire.core.parse.Subrequest.Dca;
import dev.quire.core.parse.Subrequest.Edit;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Nodes as readable text: text unchanged, {@code [src|alt|...]} for an include, and everything else
 * by its name in braces.
 *
 * @param document one char for each byte
 */
record RenderedNodes(String document) {

    String of(List<EsiNode> nodes) {
        return nodes.stream().map(this::of).collect(Collectors.joining());
    }

    private String of(EsiNode node) {
        return switch (node) {
            case EsiNode.Text(Span span) -> utf8(document.substring(span.start(), span.end()));
            case EsiNode.Literal(String bytes) -> "{literal " + utf8(bytes) + "}";
            case EsiNode.Write write ->
                    "{"
                            + of(write.value())
                            + (write.escape() == Escape.MARKUP ? "" : "|" + write.escape())
                            + "}";
            case EsiNode.Include include -> "[" + of(include.subrequest()) + "]";
            case EsiNode.Eval eval ->
                    "{eval " + of(eval.subrequest()) + (eval.ownNamespaceFirst() ? "|own}" : "}");
            case EsiNode.Inline inline ->
                    "{inline "
                            + inline.name()
                            + (inline.isFetchable() ? "|fetchable: " : ": ")
                            + utf8(inline.content())
                            + "}";
            case EsiNode.Choose choose ->
                    "{choose"
                            + choose.whens().stream().map(this::of).collect(Collectors.joining())
                            + (choose.otherwise().isEmpty()
                                    ? "}"
                                    : " otherwise: " + of(choose.otherwise()) + "}");
            case EsiNode.Try tried ->
                    "{try"
                            + tried.attempts().stream()
                                    .map(attempt -> " attempt: " + of(attempt))
                                    .collect(Collectors.joining())
                            + tried.excepts().stream().map(this::of).collect(Collectors.joining())
                            + "}";
            case EsiNode.Assign assign ->
                    "{assign "
                            + assign.name()
                            + assign.key().map(key -> "{" + of(key) + "}").orElse("")
                            + "="
                            + of(assign.value())
                            + "}";
            case EsiNode.AssignContent assign ->
                    "{assign "
                            + assign.name()
                            + assign.key().map(key -> "{" + of(key) + "}").orElse("")
                            + ": "
                            + of(assign.content())
                            + "}";
            case EsiNode.ForEach loop ->
                    "{foreach "
                            + loop.item()
                            + " of "
                            + of(loop.collection())
                            + ": "
                            + of(loop.content())
                            + "}";
            case EsiNode.Break ignored -> "{break}";
            case EsiNode.Function function ->
                    "{function " + function.name() + ": " + of(function.content()) + "}";
            case EsiNode.Return returned -> "{return " + of(returned.value()) + "}";
            case EsiNode.Region region ->
                    "{region " + region.name() + ": " + of(region.content()) + "}";
        };
    }

    private String of(EsiNode.When when) {
        return " when "
                + when.test().map(RenderedNodes::of).orElse("never")
                + when.matchName().map(name -> " as " + name).orElse("")
                + ": "
                + of(when.content());
    }

    private String of(EsiNode.Except except) {
        var code = except.code().isPresent() ? " " + except.code().getAsInt() : "";
        return " except" + code + ": " + of(except.content());
    }

    private String of(Subrequest call) {
        var said = new ArrayList<String>();
        said.add(of(call.src()));
        call.alt().ifPresent(alt -> said.add(of(alt)));
        if (call.onError() != OnError.PAGE_POLICY) {
            said.add(call.onError().toString());
        }
        if (call.isPrimary()) {
            said.add("primary");
        }
        for (var parameter : call.parameters()) {
            said.add("param " + of(parameter.name()) + "=" + of(parameter.value()));
        }
        var terms = call.terms();
        terms.ttl().ifPresent(ttl -> said.add("ttl " + ttl));
        terms.staleFor().ifPresent(stale -> said.add("stale " + stale));
        if (!terms.isStored()) {
            said.add("no-store");
        }
        terms.timeout().ifPresent(timeout -> said.add("timeout " + timeout));
        if (!terms.followsRedirects()) {
            said.add("no redirects");
        }
        terms.method().ifPresent(method -> said.add(of(method)));
        terms.body().ifPresent(body -> said.add("body " + of(body)));
        for (var edit : terms.fields()) {
            var sign =
                    switch (edit.edit()) {
                        case Edit.SET -> "=";
                        case Edit.APPEND -> "+";
                        case Edit.REMOVE -> "-";
                    };
            said.add(sign + of(edit.field()));
        }
        if (terms.dca() != Dca.UNSAID) {
            said.add("dca " + terms.dca());
        }
        terms.region().ifPresent(region -> said.add("region " + region));
        terms.select().ifPresent(select -> said.add("select " + select));
        call.escape().ifPresent(escape -> said.add("escape " + escape));
        for (var each : call.replacements()) {
            said.add("replace " + each.region() + ": " + of(each.content()));
        }
        return String.join("|", said);
    }

    private static String of(Template template) {
        return template.pieces().stream().map(RenderedNodes::of).collect(Collectors.joining());
    }

    private static String of(Expression expression) {
        return switch (expression) {
            case Expression.Literal(Value.Text text) -> utf8(text.text());
            case Expression.Literal(Value.Int number) -> "" + number.value();
            case Expression.Literal(Value.Null ignored) -> "null";
            case Expression.Quoted(List<Expression> pieces) ->
                    "'"
                            + pieces.stream().map(RenderedNodes::of).collect(Collectors.joining())
                            + "'";
            case Expression.Variable variable ->
                    "$("
                            + variable.name()
                            + variable.key().map(key -> "{" + of(key) + "}").orElse("")
                            + variable.fallback().map(each -> "|" + of(each)).orElse("")
                            + ")";
            case Expression.Call call ->
                    "$"
                            + call.function()
                            + call.arguments().stream()
                                    .map(RenderedNodes::of)
                                    .collect(Collectors.joining(", ", "(", ")"));
            case Expression.Comparison comparison ->
                    of(comparison.left())
                            + " "
                            + comparison.relation()
                            + " "
                            + of(comparison.right());
            case Expression.Arithmetic arithmetic ->
                    of(arithmetic.first())
                            + arithmetic.steps().stream()
                                    .map(step -> " " + step.sign() + " " + of(step.operand()))
                                    .collect(Collectors.joining());
            case Expression.ListOf list ->
                    list.items().stream()
                            .map(RenderedNodes::of)
                            .collect(Collectors.joining(", ", "[", "]"));
            case Expression.Range range -> "[" + of(range.from()) + ".." + of(range.to()) + "]";
            default -> expression.toString();
        };
    }

    private static String utf8(String bytes) {
        return new String(bytes.getBytes(ISO_8859_1), UTF_8);
    }
}
