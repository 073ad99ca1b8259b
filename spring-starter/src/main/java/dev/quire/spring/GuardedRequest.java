package dev.quire.spring;

import jakarta.servlet.AsyncContext;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import java.security.Principal;
import org.jspecify.annotations.Nullable;

/** The request as handlers see it: it notes what they read that belongs to one user. */
final class GuardedRequest extends HttpServletRequestWrapper {

    private final Exchange exchange;
    private final GuardedResponse response;
    private final SecurityWatch security;

    GuardedRequest(
            HttpServletRequest request,
            Exchange exchange,
            GuardedResponse response,
            SecurityWatch security) {
        super(request);
        this.exchange = exchange;
        this.response = response;
        this.security = security;
    }

    @Override
    public @Nullable Object getAttribute(String name) {
        return security.watched(super.getAttribute(name), exchange);
    }

    @Override
    public @Nullable Principal getUserPrincipal() {
        exchange.principalRead();
        return super.getUserPrincipal();
    }

    @Override
    public @Nullable String getRemoteUser() {
        exchange.principalRead();
        return super.getRemoteUser();
    }

    @Override
    public boolean isUserInRole(String role) {
        exchange.principalRead();
        return super.isUserInRole(role);
    }

    /** As with arguments: without them the container's own response would be used, unguarded. */
    @Override
    public AsyncContext startAsync() {
        return startAsync(this, response);
    }

    @Override
    public AsyncContext startAsync(ServletRequest request, ServletResponse wrapped) {
        return new GuardedAsyncContext(super.startAsync(request, wrapped), response);
    }

    @Override
    public AsyncContext getAsyncContext() {
        return new GuardedAsyncContext(super.getAsyncContext(), response);
    }
}
