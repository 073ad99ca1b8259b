package dev.quire.it.broken;

import dev.quire.core.http.Fields;
import dev.quire.test.internal.Assembled;
import dev.quire.test.internal.Part;
import dev.quire.test.wire.Response;
import java.util.List;

/** Passes the tags of the page on to the client. */
final class LeaksAField extends Defect {

    @Override
    Response sent(Assembled page) {
        var fields = new Fields.Builder().addAll(page.response().fields());
        page.parts().orElse(List.of()).stream()
                .limit(1)
                .map(Part::fields)
                .flatMap(sent -> sent.all("Surrogate-Key").stream())
                .forEach(tags -> fields.add("Surrogate-Key", tags));
        return with(
                page.response(), page.response().status(), fields.build(), page.response().body());
    }
}
