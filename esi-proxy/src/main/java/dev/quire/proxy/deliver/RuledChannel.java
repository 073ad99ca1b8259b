package dev.quire.proxy.deliver;

import dev.quire.core.http.Fields;
import dev.quire.core.http.ResponseHead;
import dev.quire.proxy.exchange.ResponseChannel;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Changes the lines of a response head before they are sent, except those of a 101. */
public final class RuledChannel extends HeadCollector {

    /** Null once a head was sent: the rest of the response needs no configuration. */
    private @Nullable Function<ResponseHead, Fields> rules;

    /**
     * @param rules returns the lines to send in place of those of a head
     */
    public RuledChannel(ResponseChannel to, Function<ResponseHead, Fields> rules) {
        super(to);
        this.rules = rules;
    }

    @Override
    void send(ResponseHead head, @Nullable ResponseHead from, boolean isLengthKnown) {
        var changing = rules;
        rules = null;
        var out = from == null ? to().head(head.status()) : to().head(from);
        (changing == null ? head.fields() : changing.apply(head)).forEach(out::line);
        to().endHead(isLengthKnown);
    }
}
