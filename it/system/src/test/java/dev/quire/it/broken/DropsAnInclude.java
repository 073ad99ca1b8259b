package dev.quire.it.broken;

import dev.quire.test.Reply;
import dev.quire.test.wire.Request;
import java.util.regex.Pattern;

/** Loses a tag that is split between two reads: the include in the footer. */
final class DropsAnInclude extends Defect {
    private static final Pattern IN_FOOTER =
            Pattern.compile("(?<=<footer>)<esi:[^<>]*include [^<>]*/>");

    @Override
    Reply taken(Request request, Reply reply) {
        return withText(reply, text -> IN_FOOTER.matcher(text).replaceFirst(""));
    }
}
