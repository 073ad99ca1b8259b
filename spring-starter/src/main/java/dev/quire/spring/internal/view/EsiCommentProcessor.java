package dev.quire.spring.internal.view;

import org.thymeleaf.context.ITemplateContext;
import org.thymeleaf.model.IComment;
import org.thymeleaf.processor.comment.AbstractCommentProcessor;
import org.thymeleaf.processor.comment.ICommentStructureHandler;
import org.thymeleaf.templatemode.TemplateMode;

/**
 * {@code <!--esi … -->} in a template: its content becomes part of the template, because stamped
 * documents have no such wrappers. Without stamps it stays unchanged.
 */
final class EsiCommentProcessor extends AbstractCommentProcessor {

    private static final int PRECEDENCE = 500;
    private static final String NAME = "esi";

    EsiCommentProcessor() {
        super(TemplateMode.HTML, PRECEDENCE);
    }

    @Override
    protected void doProcess(
            ITemplateContext context, IComment comment, ICommentStructureHandler structure) {
        var content = comment.getContent();
        if (!isWrapper(content)) {
            return;
        }
        var tags = EsiElementProcessor.tags(context);
        tags.noteTag();
        if (!tags.mark().isEmpty()) {
            structure.replaceWith(
                    context.getConfiguration()
                            .getTemplateManager()
                            .parseString(
                                    context.getTemplateData(),
                                    content.substring(NAME.length()),
                                    comment.getLine(),
                                    comment.getCol(),
                                    TemplateMode.HTML,
                                    false),
                    true);
        }
    }

    private static boolean isWrapper(String content) {
        return content.startsWith(NAME)
                && (content.length() == NAME.length()
                        || content.charAt(NAME.length()) == '<'
                        || Character.isWhitespace(content.charAt(NAME.length())));
    }
}
