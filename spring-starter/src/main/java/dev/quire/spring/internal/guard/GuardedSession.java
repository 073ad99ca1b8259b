package dev.quire.spring.internal.guard;

import dev.quire.spring.internal.exchange.Demotion;
import dev.quire.spring.internal.exchange.GuardedExchange;
import jakarta.servlet.ServletContext;
import jakarta.servlet.http.HttpSession;
import java.util.Enumeration;
import org.jspecify.annotations.Nullable;
import org.springframework.web.util.WebUtils;

/**
 * The session as a public handler and its view see it: it records their reads. It lives as long as
 * the request; the container and code outside the handler use the session itself.
 */
record GuardedSession(HttpSession session, GuardedExchange exchange) implements HttpSession {

    @Override
    public @Nullable Object getAttribute(String name) {
        var value = session.getAttribute(name);
        if (name.equals(WebUtils.SESSION_MUTEX_ATTRIBUTE)) {
            // without a mutex Spring locks the session: it must be the instance that all requests
            // share
            return value == null ? session : value;
        }
        read();
        return value;
    }

    @Override
    public Enumeration<String> getAttributeNames() {
        read();
        return session.getAttributeNames();
    }

    @Override
    public String getId() {
        read();
        return session.getId();
    }

    private void read() {
        if (exchange.isHandling() && !SpringReads.isOne()) {
            exchange.noticed(Demotion.SESSION_READ);
        }
    }

    @Override
    public long getCreationTime() {
        return session.getCreationTime();
    }

    @Override
    public long getLastAccessedTime() {
        return session.getLastAccessedTime();
    }

    @Override
    public ServletContext getServletContext() {
        return session.getServletContext();
    }

    @Override
    public void setMaxInactiveInterval(int seconds) {
        session.setMaxInactiveInterval(seconds);
    }

    @Override
    public int getMaxInactiveInterval() {
        return session.getMaxInactiveInterval();
    }

    @Override
    public void setAttribute(String name, @Nullable Object value) {
        session.setAttribute(name, value);
    }

    @Override
    public void removeAttribute(String name) {
        session.removeAttribute(name);
    }

    @Override
    public void invalidate() {
        session.invalidate();
    }

    @Override
    public boolean isNew() {
        return session.isNew();
    }

    @Override
    public Accessor getAccessor() {
        return session.getAccessor();
    }
}
