package dev.quire.test.spring;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** The sessions of an application, by their ids. Any thread. */
final class Sessions {
    private final Map<String, ContainerSession> all = new ConcurrentHashMap<>();

    /** The session with this id, if it has not ended. */
    @Nullable ContainerSession find(String id) {
        return all.computeIfPresent(id, (same, session) -> session.isInvalid() ? null : session);
    }

    /** Keeps the session that {@code request} has made, by the id it has by now. */
    void keep(ContainerRequest request) {
        if (request.getSession(false) instanceof ContainerSession session) {
            var before = request.getRequestedSessionId();
            if (before != null && !before.equals(session.getId())) {
                all.remove(before, session);
            }
            session.setNew(false);
            all.put(session.getId(), session);
        }
    }
}
