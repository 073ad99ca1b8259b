package dev.quire.it.broken;

import dev.quire.test.Application;
import dev.quire.test.Reply;
import dev.quire.test.wire.Request;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Has a cache in front of the application that ignores cookies and private responses. */
final class MixesUsers extends Defect {
    private final Map<String, Reply> kept = new ConcurrentHashMap<>();

    @Override
    Reply asked(Request request, Application application) {
        if (!isFragment(request)) {
            return application.answer(request);
        }
        var stored = kept.get(request.target());
        if (stored != null) {
            return stored;
        }
        var reply = application.answer(request);
        boolean isPrivate =
                reply instanceof Reply.Whole(var response)
                        && response.status() == 200
                        && String.valueOf(response.field("Cache-Control")).contains("private");
        if (isPrivate) {
            kept.putIfAbsent(request.target(), reply);
        }
        return reply;
    }
}
