package dev.quire.proxy.lint;

import java.io.ByteArrayOutputStream;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import org.jspecify.annotations.Nullable;

/**
 * A response body of limited size. A longer body is cancelled and fails with {@link PageTooLong}.
 */
final class LimitedBody implements HttpResponse.BodySubscriber<byte[]> {
    private final int maxBytes;
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private final CompletableFuture<byte[]> whole = new CompletableFuture<>();
    private Flow.@Nullable Subscription subscription;

    LimitedBody(int maxBytes) {
        this.maxBytes = maxBytes;
    }

    @Override
    public CompletionStage<byte[]> getBody() {
        return whole;
    }

    @Override
    public void onSubscribe(Flow.Subscription begun) {
        subscription = begun;
        begun.request(Long.MAX_VALUE);
    }

    @Override
    public void onNext(List<ByteBuffer> parts) {
        for (var part : parts) {
            if (part.remaining() > maxBytes - bytes.size()) {
                if (subscription != null) {
                    subscription.cancel();
                }
                whole.completeExceptionally(new PageTooLong());
                return;
            }
            var copy = new byte[part.remaining()];
            part.get(copy);
            bytes.writeBytes(copy);
        }
    }

    @Override
    public void onError(Throwable failure) {
        whole.completeExceptionally(failure);
    }

    @Override
    public void onComplete() {
        whole.complete(bytes.toByteArray());
    }
}
