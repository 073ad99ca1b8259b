package dev.quire.it.broken;

import dev.quire.test.Application;
import dev.quire.test.Reply;
import dev.quire.test.wire.Request;

/** Fetches the map once to see whether its attempt succeeds, and once to use it. */
final class FetchesTwice extends Defect {

    @Override
    Reply asked(Request request, Application application) {
        var first = application.answer(request);
        boolean succeeds = first.status() == 200;
        return succeeds && request.path().equals("/fragments/map")
                ? application.answer(request)
                : first;
    }
}
