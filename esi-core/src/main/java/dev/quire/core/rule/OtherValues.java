package dev.quire.core.rule;

import dev.quire.core.http.RequestHead;
import dev.quire.core.http.ResponseHead;
import java.net.InetAddress;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** The same values as another one; subclasses replace some. */
class OtherValues implements RuleValues {
    private final RuleValues values;

    OtherValues(RuleValues values) {
        this.values = values;
    }

    @Override
    public RequestHead request() {
        return values.request();
    }

    @Override
    public String path() {
        return values.path();
    }

    @Override
    public String simplifiedPath() {
        return values.simplifiedPath();
    }

    @Override
    public InetAddress client() {
        return values.client();
    }

    @Override
    public boolean isTrusted() {
        return values.isTrusted();
    }

    @Override
    public int level() {
        return values.level();
    }

    @Override
    public String protocol() {
        return values.protocol();
    }

    @Override
    public Instant now() {
        return values.now();
    }

    @Override
    public @Nullable String variable(String name) {
        return values.variable(name);
    }

    @Override
    public @Nullable ResponseHead response() {
        return values.response();
    }

    @Override
    public String outcome() {
        return values.outcome();
    }

    @Override
    public long ageSeconds() {
        return values.ageSeconds();
    }
}
