package dev.quire.news;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The protocol of Chromium's developer tools, for one page. Not thread-safe. */
final class DevTools implements AutoCloseable {
    private static final long PATIENCE_SECONDS = 60;

    private final BlockingQueue<String> arriving = new LinkedBlockingQueue<>();
    private final List<String> messages = new ArrayList<>();
    private final WebSocket socket;
    private int calls;

    DevTools(HttpClient client, URI page) {
        socket =
                client.newWebSocketBuilder()
                        .buildAsync(page, new Messages(arriving))
                        .orTimeout(PATIENCE_SECONDS, TimeUnit.SECONDS)
                        .join();
    }

    /**
     * Calls {@code method} and returns its answer.
     *
     * @param parameters the members of a JSON object
     */
    String call(String method, String parameters) throws InterruptedException {
        calls++;
        var call =
                "{\"id\":%d,\"method\":\"%s\",\"params\":{%s}}"
                        .formatted(calls, method, parameters);
        socket.sendText(call, true).orTimeout(PATIENCE_SECONDS, TimeUnit.SECONDS).join();
        var begin = "{\"id\":%d,".formatted(calls);
        var answer = await(message -> message.startsWith(begin));
        if (answer.startsWith(begin + "\"error\"")) {
            throw new AssertionError(method + ": " + answer);
        }
        return answer;
    }

    /** Returns the first message that is {@code wanted}; waits for it. */
    String await(Predicate<String> wanted) throws InterruptedException {
        int number = 0;
        while (number == messages.size() || !wanted.test(messages.get(number))) {
            if (number == messages.size()) {
                messages.add(next());
            } else {
                number++;
            }
        }
        return messages.get(number);
    }

    private String next() throws InterruptedException {
        var message = arriving.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
        if (message == null) {
            throw new AssertionError("the browser does not answer; its messages: " + messages);
        }
        return message;
    }

    /** The answers and events that have arrived until the last answer. */
    List<String> messages() {
        return messages;
    }

    @Override
    public void close() {
        socket.abort();
    }

    /** Puts whole messages into a queue. */
    private static final class Messages implements WebSocket.Listener {
        private final BlockingQueue<String> queue;
        private final StringBuilder text = new StringBuilder();

        Messages(BlockingQueue<String> queue) {
            this.queue = queue;
        }

        @Override
        public @Nullable CompletionStage<?> onText(
                WebSocket socket, CharSequence data, boolean isLast) {
            text.append(data);
            if (isLast) {
                queue.add(text.toString());
                text.setLength(0);
            }
            socket.request(1);
            return null;
        }

        @Override
        public void onError(WebSocket socket, Throwable error) {
            queue.add("the connection has failed: " + error);
        }
    }
}
