package dev.quire.it.broken;

import dev.quire.test.Reply;
import dev.quire.test.internal.Assembled;
import dev.quire.test.wire.Request;
import dev.quire.test.wire.Response;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;

/** Does not know {@code <esi:remove>}, and passes on what it does not know. */
final class LeaksATag extends Defect {
    private static final Pattern REMOVE =
            Pattern.compile("<esi:([^<>]*)remove>.*?</esi:\\1remove>", Pattern.DOTALL);

    private final Map<String, String> unknown = new ConcurrentHashMap<>();
    private final AtomicInteger met = new AtomicInteger();

    @Override
    Reply taken(Request request, Reply reply) {
        return withText(reply, text -> REMOVE.matcher(text).replaceAll(tag -> mark(tag.group())));
    }

    /** The placeholder for {@code tag} during assembly. */
    private String mark(String tag) {
        var mark = "[[unknown " + met.incrementAndGet() + "]]";
        unknown.put(mark, tag);
        return mark;
    }

    @Override
    Response sent(Assembled page) {
        var html = page.response().text();
        for (var tag : unknown.entrySet()) {
            html = html.replace(tag.getKey(), tag.getValue());
        }
        return html.equals(page.response().text())
                ? page.response()
                : withText(page.response(), html);
    }
}
