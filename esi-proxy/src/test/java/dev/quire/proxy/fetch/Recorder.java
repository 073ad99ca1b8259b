package dev.quire.proxy.fetch;

import dev.quire.core.assemble.Failure;
import dev.quire.core.http.ResponseHead;
import dev.quire.proxy.exchange.BodyFlow;
import dev.quire.proxy.exchange.ResponseSink;
import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Records the calls of a fetch, and may react to them. */
class Recorder implements ResponseSink {
    final List<String> events = new ArrayList<>();
    final StringBuilder body = new StringBuilder();
    private @Nullable ResponseHead head;
    private @Nullable BodyFlow flow;
    private @Nullable Failure failure;

    void controlledBy(BodyFlow given) {
        flow = given;
    }

    ResponseHead head() {
        return Objects.requireNonNull(head, "no head yet");
    }

    BodyFlow flow() {
        return Objects.requireNonNull(flow, "not fetched yet");
    }

    Failure failure() {
        return Objects.requireNonNull(failure, "not failed");
    }

    @Override
    public void interim(ResponseHead interim) {
        events.add("interim " + interim.status());
    }

    @Override
    public void head(ResponseHead received, BodyFlow given) {
        head = received;
        flow = given;
        events.add("head " + received.status());
    }

    @Override
    public void data(ByteBuf data) {
        var text = data.toString(StandardCharsets.ISO_8859_1);
        data.release();
        body.append(text);
        events.add("data " + text);
    }

    @Override
    public void end() {
        events.add("end");
    }

    @Override
    public void failed(Failure received) {
        failure = received;
        events.add("failed " + received.side() + " " + received.kind());
    }
}
