package dev.quire.test.spring;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** The sessions of an application, by their ids. Thread-safe. */
final class Sessions {
    private final Map<String, ContainerSession> all = new ConcurrentHashMap<>();

    /** The session with this id, if it is still valid. */
    @Nullable ContainerSession find(String id) {
        return all.computeIfPresent(id, (same, session) -> session.isInvalid() ? null : session);
    }

    /** Stores the session of {@code request} by its current id. */
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
