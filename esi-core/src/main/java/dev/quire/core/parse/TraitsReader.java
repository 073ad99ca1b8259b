package dev.quire.core.parse;

import dev.quire.core.expression.Expression;
import dev.quire.core.expression.Template;
import dev.quire.core.parse.EsiNode.OnError;
import dev.quire.core.parse.ParsedPage.Traits;
import java.util.List;

/** Computes the traits of a page in one pass over its nodes and expressions. */
final class TraitsReader {

    private boolean isEvaluated;
    private boolean editsResponse;
    private boolean mayFail;
    private boolean hasPrimary;

    private TraitsReader() {}

    static Traits of(List<EsiNode> nodes) {
        var reader = new TraitsReader();
        reader.read(nodes);
        return new Traits(
                reader.isEvaluated, reader.editsResponse, reader.mayFail, reader.hasPrimary);
    }

    private void read(List<EsiNode> nodes) {
        for (var node : nodes) {
            read(node);
        }
    }

    private void read(EsiNode node) {
        isEvaluated |=
                switch (node) {
                    case EsiNode.Text ignored -> false;
                    // Its templates are checked below.
                    case EsiNode.Include include -> !include.subrequest().replacements().isEmpty();
                    case EsiNode.Region ignored -> false;
                    case EsiNode.Literal ignored -> true;
                    case EsiNode.Write ignored -> true;
                    case EsiNode.Eval ignored -> true;
                    case EsiNode.Inline ignored -> true;
                    case EsiNode.Choose ignored -> true;
                    case EsiNode.Try ignored -> true;
                    case EsiNode.Assign ignored -> true;
                    case EsiNode.AssignContent ignored -> true;
                    case EsiNode.ForEach ignored -> true;
                    case EsiNode.Break ignored -> true;
                    case EsiNode.Function ignored -> true;
                    case EsiNode.Return ignored -> true;
                };
        switch (node) {
            case EsiNode.Text ignored -> {}
            case EsiNode.Literal ignored -> {}
            case EsiNode.Inline ignored -> {}
            case EsiNode.Break ignored -> {}
            case EsiNode.Write write -> read(write.value());
            case EsiNode.Include include -> read(include.subrequest());
            case EsiNode.Eval eval -> read(eval.subrequest());
            case EsiNode.Choose choose -> {
                for (var when : choose.whens()) {
                    when.test().ifPresent(this::read);
                    read(when.content());
                }
                read(choose.otherwise());
            }
            case EsiNode.Try tried -> {
                tried.attempts().forEach(this::read);
                tried.excepts().forEach(except -> read(except.content()));
            }
            case EsiNode.Assign assign -> {
                assign.key().ifPresent(this::read);
                read(assign.value());
            }
            case EsiNode.AssignContent assign -> {
                assign.key().ifPresent(this::read);
                read(assign.content());
            }
            case EsiNode.ForEach loop -> {
                read(loop.collection());
                read(loop.content());
            }
            case EsiNode.Function function -> read(function.content());
            case EsiNode.Return returned -> read(returned.value());
            case EsiNode.Region region -> read(region.content());
        }
    }

    private void read(Subrequest subrequest) {
        mayFail |= subrequest.onError() == OnError.FAIL;
        hasPrimary |= subrequest.isPrimary();
        read(subrequest.src());
        subrequest.alt().ifPresent(this::read);
        for (var parameter : subrequest.parameters()) {
            read(parameter.name());
            read(parameter.value());
        }
        subrequest.terms().method().ifPresent(this::read);
        subrequest.terms().body().ifPresent(this::read);
        subrequest.terms().fields().forEach(edit -> read(edit.field()));
        subrequest.replacements().forEach(replacement -> read(replacement.content()));
    }

    private void read(Template template) {
        isEvaluated |= !template.isStatic();
        template.pieces().forEach(this::read);
    }

    private void read(Expression expression) {
        editsResponse |= expression.editsResponse();
    }
}
