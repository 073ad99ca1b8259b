package dev.quire.it.broken;

import dev.quire.test.internal.Assembled;
import dev.quire.test.internal.Part;
import dev.quire.test.wire.Response;
import java.util.List;

/** Requests fragments in order, but writes the second first. */
final class MixesUpTwoFragments extends Defect {

    @Override
    Response sent(Assembled page) {
        var html = page.response().text();
        var texts =
                page.parts().orElse(List.of()).stream()
                        .filter(part -> part.depth() == 1)
                        .map(MixesUpTwoFragments::text)
                        .filter(text -> !text.isEmpty() && html.contains(text))
                        .limit(2)
                        .toList();
        if (texts.size() < 2) {
            return page.response();
        }
        var one = texts.getFirst();
        var other = texts.getLast();
        int at = html.indexOf(one);
        int then = html.indexOf(other, at);
        return withText(
                page.response(),
                html.substring(0, at)
                        + other
                        + html.substring(at + one.length(), then)
                        + one
                        + html.substring(then + other.length()));
    }

    private static String text(Part part) {
        var body = part.body();
        return body == null ? "" : body.text();
    }
}
