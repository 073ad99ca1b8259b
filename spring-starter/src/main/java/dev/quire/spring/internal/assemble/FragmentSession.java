package dev.quire.spring.internal.assemble;

import jakarta.servlet.ServletContext;
import jakarta.servlet.http.HttpSession;
import java.time.Clock;
import java.util.Collections;
import java.util.Enumeration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The session that a dispatched fragment creates for a client without one. It ends with the
 * fragment, as behind a surrogate, where its cookie would not reach the client.
 */
final class FragmentSession implements HttpSession {

    private final ServletContext context;
    private final Map<String, Object> attributes = new ConcurrentHashMap<>();
    private final long created = Clock.systemUTC().millis();

    private volatile String id = UUID.randomUUID().toString();
    private volatile boolean invalid;
    private volatile int seconds = 60;

    FragmentSession(ServletContext context) {
        this.context = context;
    }

    boolean isInvalid() {
        return invalid;
    }

    String changeId() {
        id = UUID.randomUUID().toString();
        return id;
    }

    private void requireValid() {
        if (invalid) {
            throw new IllegalStateException("the session of the fragment is invalidated");
        }
    }

    @Override
    public long getCreationTime() {
        return created;
    }

    @Override
    public String getId() {
        return id;
    }

    @Override
    public long getLastAccessedTime() {
        return created;
    }

    @Override
    public ServletContext getServletContext() {
        return context;
    }

    @Override
    public void setMaxInactiveInterval(int interval) {
        seconds = interval;
    }

    @Override
    public int getMaxInactiveInterval() {
        return seconds;
    }

    @Override
    public @Nullable Object getAttribute(String name) {
        requireValid();
        return attributes.get(name);
    }

    @Override
    public Enumeration<String> getAttributeNames() {
        requireValid();
        return Collections.enumeration(List.copyOf(attributes.keySet()));
    }

    @Override
    public void setAttribute(String name, @Nullable Object value) {
        requireValid();
        if (value == null) {
            attributes.remove(name);
        } else {
            attributes.put(name, value);
        }
    }

    @Override
    public void removeAttribute(String name) {
        requireValid();
        attributes.remove(name);
    }

    @Override
    public void invalidate() {
        requireValid();
        attributes.clear();
        invalid = true;
    }

    @Override
    public boolean isNew() {
        return true;
    }
}
