package dev.quire.test.spring;

import jakarta.servlet.ServletContext;
import java.util.HexFormat;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.springframework.mock.web.MockHttpSession;

/** The sessions of an application, by their ids. Thread-safe. */
final class Sessions {
    private final Map<String, ContainerSession> all = new ConcurrentHashMap<>();

    @Nullable ContainerSession find(String id) {
        return all.computeIfPresent(id, (same, session) -> session.isInvalid() ? null : session);
    }

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

    /** A session with a random id, which does not occur in a page by chance. */
    static final class ContainerSession extends MockHttpSession {
        private String id = drawn();

        ContainerSession(ServletContext context) {
            super(context);
        }

        @Override
        public String getId() {
            return id;
        }

        @Override
        public String changeSessionId() {
            id = drawn();
            return id;
        }

        /** 32 digits, as in Tomcat. */
        private static String drawn() {
            var random = UUID.randomUUID();
            var hex = HexFormat.of().withUpperCase();
            return hex.toHexDigits(random.getMostSignificantBits())
                    + hex.toHexDigits(random.getLeastSignificantBits());
        }
    }
}
