package dev.quire.spring.internal.assemble;

import jakarta.servlet.AsyncContext;
import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;
import jakarta.servlet.ServletContext;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * The asynchronous context of a fragment. The page's thread waits for it, at most for the include's
 * timeout: the container's own asynchronous state belongs to the page.
 */
final class FragmentAsyncContext implements AsyncContext {

    /** How the handler continues: with a dispatch, or with its written response. */
    enum Ending {
        DISPATCH,
        COMPLETE
    }

    private final ServletRequest request;
    private final ServletResponse response;
    private final List<AsyncListener> listeners = new CopyOnWriteArrayList<>();
    private final CompletableFuture<Ending> ending = new CompletableFuture<>();
    private final long mostMillis;
    private volatile long timeoutMillis;

    /**
     * The context of a handler that has released its thread.
     *
     * @param most the longest wait, whatever timeout the handler sets
     */
    FragmentAsyncContext(ServletRequest request, ServletResponse response, Duration most) {
        this.request = request;
        this.response = response;
        this.mostMillis = most.toMillis();
        this.timeoutMillis = mostMillis;
    }

    /** Waits for the handler; empty on timeout. */
    Optional<Ending> await() throws IOException {
        var inTime = await(Math.min(timeoutMillis, mostMillis));
        if (inTime.isPresent()) {
            return inTime;
        }
        for (var listener : listeners) {
            listener.onTimeout(new AsyncEvent(this, request, response));
        }
        // a listener may have answered in place of the handler
        return Optional.ofNullable(ending.getNow(null));
    }

    /** Notifies the listeners of completion. */
    void ended() throws IOException {
        for (var listener : listeners) {
            listener.onComplete(new AsyncEvent(this, request, response));
        }
    }

    private Optional<Ending> await(long millis) throws IOException {
        try {
            return Optional.of(ending.get(millis, TimeUnit.MILLISECONDS));
        } catch (TimeoutException late) {
            return Optional.empty();
        } catch (ExecutionException impossible) {
            throw new IllegalStateException("an ending is never exceptional", impossible);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while a fragment was awaited", interrupted);
        }
    }

    @Override
    public void dispatch() {
        if (!ending.complete(Ending.DISPATCH)) {
            throw new IllegalStateException("the fragment is already dispatched or completed");
        }
    }

    @Override
    public void dispatch(String path) {
        throw new UnsupportedOperationException("a fragment can only be dispatched to itself");
    }

    @Override
    public void dispatch(ServletContext context, String path) {
        dispatch(path);
    }

    @Override
    public void complete() {
        ending.complete(Ending.COMPLETE);
    }

    @Override
    public void start(Runnable run) {
        Thread.ofVirtual().name("quire-fragment").start(run);
    }

    @Override
    public ServletRequest getRequest() {
        return request;
    }

    @Override
    public ServletResponse getResponse() {
        return response;
    }

    @Override
    public boolean hasOriginalRequestAndResponse() {
        return false;
    }

    @Override
    public void addListener(AsyncListener listener) {
        listeners.add(listener);
    }

    @Override
    public void addListener(
            AsyncListener listener, ServletRequest itsRequest, ServletResponse itsResponse) {
        listeners.add(listener);
    }

    @Override
    public <T extends AsyncListener> T createListener(Class<T> type) throws ServletException {
        return request.getServletContext().createListener(type);
    }

    /**
     * Sets the timeout. Zero or less means no timeout in the servlet API; here the include's
     * timeout applies.
     */
    @Override
    public void setTimeout(long millis) {
        timeoutMillis = millis <= 0 ? mostMillis : millis;
    }

    @Override
    public long getTimeout() {
        return timeoutMillis;
    }
}
