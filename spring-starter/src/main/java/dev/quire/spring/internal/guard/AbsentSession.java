package dev.quire.spring.internal.guard;

import dev.quire.spring.internal.exchange.Demotion;
import dev.quire.spring.internal.exchange.GuardedExchange;
import jakarta.servlet.ServletContext;
import jakarta.servlet.http.HttpSession;
import java.util.Collections;
import java.util.Enumeration;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * An empty session for a template engine that asks for the session before it renders: it records
 * whether the template reads it. Code that needs a session creates it.
 *
 * @param created creates the session, or returns it if it was created meanwhile
 */
record AbsentSession(Supplier<HttpSession> created, GuardedExchange exchange)
        implements HttpSession {

    private void read() {
        if (exchange.isHandling()) {
            exchange.noticed(Demotion.SESSION_READ);
        }
    }

    @Override
    public @Nullable Object getAttribute(String name) {
        read();
        return null;
    }

    @Override
    public Enumeration<String> getAttributeNames() {
        read();
        return Collections.emptyEnumeration();
    }

    @Override
    public void setAttribute(String name, @Nullable Object value) {
        created.get().setAttribute(name, value);
    }

    @Override
    public void removeAttribute(String name) {}

    @Override
    public void invalidate() {}

    @Override
    public long getCreationTime() {
        return created.get().getCreationTime();
    }

    @Override
    public String getId() {
        return created.get().getId();
    }

    @Override
    public long getLastAccessedTime() {
        return created.get().getLastAccessedTime();
    }

    @Override
    public ServletContext getServletContext() {
        return created.get().getServletContext();
    }

    @Override
    public void setMaxInactiveInterval(int seconds) {
        created.get().setMaxInactiveInterval(seconds);
    }

    @Override
    public int getMaxInactiveInterval() {
        return created.get().getMaxInactiveInterval();
    }

    @Override
    public boolean isNew() {
        return created.get().isNew();
    }
}
