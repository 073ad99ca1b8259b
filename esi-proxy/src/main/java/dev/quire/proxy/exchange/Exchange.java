package dev.quire.proxy.exchange;

import dev.quire.core.assemble.AssemblyNotes;
import dev.quire.core.assemble.ErrorPage;
import dev.quire.core.http.AcceptEncoding;
import dev.quire.core.http.FieldList;
import dev.quire.core.http.Fields;
import dev.quire.core.http.RequestHead;
import dev.quire.core.policy.CacheStatus;
import dev.quire.core.policy.ClientDirectives;
import dev.quire.core.policy.EffectiveRequest;
import dev.quire.core.policy.EffectiveRequest.Sender;
import dev.quire.core.rule.ClientInputs;
import dev.quire.core.rule.RequestPhase;
import dev.quire.core.rule.RuledRequest;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.ScheduledFuture;
import java.net.InetAddress;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** One client request and its response. Confined to one event loop. */
public final class Exchange {

    /** Receives events of the client connection. */
    public interface Delivery {
        /** The client connection is writable again. */
        void writable();

        /** The client has disconnected: the response is no longer needed. */
        void clientGone();
    }

    private static final int SERVER_ERROR = 500;

    private final @Nullable RequestBody body;
    private final Peer peer;
    private ResponseChannel response;
    private boolean isProtected;
    private ClientInputs inputs = ClientInputs.NONE;
    private final ClientTrust trust;
    private final ExchangeHandler handler;
    private final ExchangeTrace trace;
    private final RequestHead received;
    private final List<String> keyedFields;
    private RequestHead effective;
    private @Nullable List<String> authorization;
    private RuledRequest ruled;
    private @Nullable RequestHead asked;
    private @Nullable RequestPhase phase;
    private @Nullable Generation generation;
    private @Nullable TunnelPlace tunnel;
    private @Nullable InetAddress client;
    private @Nullable RequestId id;
    private @Nullable AcceptEncoding accepted;
    private @Nullable Delivery delivery;
    private @Nullable AssemblyNotes notes;
    private ClientDirectives directives = ClientDirectives.NONE;
    private @Nullable CacheStatus cacheStatus;
    private long ttlSeconds;
    private boolean isBrokenOff;
    private boolean isOver;

    /**
     * @param received the request, valid
     * @param body null if the request has none
     * @param response the response to the client
     * @param trust decides which of the client's claims are believed
     * @param handler receives bugs in steps that do not run on behalf of the connection
     */
    public Exchange(
            RequestHead received,
            @Nullable RequestBody body,
            Peer peer,
            ResponseChannel response,
            ClientTrust trust,
            ExchangeHandler handler) {
        var effective = EffectiveRequest.of(received, peer.sender());
        this.received = received;
        this.effective = effective.head();
        this.ruled = RuledRequest.unchanged(this.effective);
        this.keyedFields = effective.keyedFields();
        this.body = body;
        this.peer = peer;
        this.response = response;
        this.trust = trust;
        this.handler = handler;
        this.trace = new ExchangeTrace(response.loop().ticker().nanoTime());
    }

    /**
     * The other end of the connection.
     *
     * @param port 0 if it has none
     * @param certificate the client's certificate as the value of Client-Cert (RFC 9440); null if
     *     it has none
     * @param tlsClaimedBy the peer whose header of the PROXY protocol says that the client uses
     *     TLS; null if none does
     */
    public record Peer(
            InetAddress address,
            int port,
            Sender sender,
            @Nullable String certificate,
            @Nullable InetAddress tlsClaimedBy) {

        /** Returns the peer at {@code address}, trusted as {@code trust} decides. */
        public static Peer of(InetAddress address, int port, ClientTrust trust) {
            return new Peer(address, port, trust.sender(address), null, null);
        }

        /** Returns the same with a certificate, and the peer that says that the client uses TLS. */
        public Peer with(@Nullable String value, @Nullable InetAddress claimedBy) {
            return new Peer(address, port, sender, value, claimedBy);
        }

        public boolean isTrusted() {
            return sender.isTrusted();
        }
    }

    /** The request as the origin gets it ({@link EffectiveRequest}), changed by rules. */
    public RequestHead request() {
        return ruled.head();
    }

    /** The request before the rules of its page: rules of fragments begin with it. */
    public RequestHead effective() {
        return effective;
    }

    /** The client's Authorization lines, also once a login has removed them. */
    public List<String> authorization() {
        return authorization == null ? effective.fields().all("Authorization") : authorization;
    }

    /**
     * Removes the client's credentials, which a login has accepted and does not forward, from the
     * request with which rules of fragments begin: fragments are then shared as the page is.
     */
    public void removeAuthorization() {
        authorization = authorization();
        effective =
                new RequestHead(
                        effective.method(),
                        effective.scheme(),
                        effective.authority(),
                        effective.target(),
                        effective.fields().without("Authorization"::equalsIgnoreCase));
    }

    /** The request with what rules decided. */
    public RuledRequest ruled() {
        return ruled;
    }

    /**
     * The client's request, changed by rules: {@link #request} unless that is the request for an
     * error page.
     */
    public RequestHead asked() {
        return asked == null ? request() : asked;
    }

    /** The values that rules of the delivery read; null without rules. */
    public @Nullable RequestPhase phase() {
        return phase;
    }

    /** The fields of the request as received: only for what concerns this connection. */
    public Fields receivedFields() {
        return received.fields();
    }

    /** The names, in lower case, of request fields that are part of the cache key. */
    public List<String> keyedFields() {
        return keyedFields;
    }

    public @Nullable RequestBody body() {
        return body;
    }

    /**
     * The address of the client: of the connection, unless a trusted peer forwards for it; computed
     * on first use.
     */
    public InetAddress client() {
        if (client == null) {
            client = trust.client(received, peer.address());
        }
        return client;
    }

    /** Its id: that of a trusted peer if it sent one, else a new one; set on first use. */
    public RequestId id() {
        if (id == null) {
            id = RequestId.of(received, peer.isTrusted());
        }
        return id;
    }

    /** Whether the client may see how its request was handled. */
    public boolean seesDiagnostics() {
        return trust.seesDiagnostics(received, peer.address());
    }

    /** The content codings that the client accepts; parsed on first use. */
    public AcceptEncoding accepted() {
        if (accepted == null) {
            accepted = AcceptEncoding.of(effective.fields());
        }
        return accepted;
    }

    /** Whether the client accepts trailer fields (RFC 9110 §10.1.4). */
    public boolean takesTrailers() {
        var lines = received.fields().all("TE");
        return !lines.isEmpty()
                && FieldList.members(lines).stream().anyMatch("trailers"::equalsIgnoreCase);
    }

    public Peer peer() {
        return peer;
    }

    public ResponseChannel response() {
        return response;
    }

    /** Sends the response through {@code channel}, which passes it on. Before the head. */
    public void respondThrough(ResponseChannel channel) {
        response = channel;
    }

    /** The values of clients by which rules select its response, and the parts of its page. */
    public ClientInputs inputs() {
        return inputs;
    }

    /** Notes that rules select its response, or a part of it, by {@code more}. */
    public void dependsOn(ClientInputs more) {
        inputs = inputs.plus(more);
    }

    /** Whether it contains a part for which a rule asked for credentials. */
    public boolean isProtected() {
        return isProtected || ruled.isProtected();
    }

    /** Notes that a rule asked for credentials for a part of it. */
    public void protect() {
        isProtected = true;
    }

    public EventLoop loop() {
        return response.loop();
    }

    public ExchangeTrace trace() {
        return trace;
    }

    /** Records the parts of its page from now on. */
    public void observe() {
        notes = new AssemblyNotes(loop().ticker()::nanoTime);
    }

    /** The notes on the parts of its page; null without an observer, and for an error page. */
    public @Nullable AssemblyNotes notes() {
        return asked == null ? notes : null;
    }

    /** The notes on the parts of the page that the client asked for; null without an observer. */
    public @Nullable AssemblyNotes notesOfAsked() {
        return notes;
    }

    /** The client's cache directives; empty unless the client may send them. */
    public ClientDirectives directives() {
        return directives;
    }

    /** Sets the cache directives of a client that may send them. */
    public void heed(ClientDirectives wishes) {
        directives = wishes;
    }

    /** How it was handled, for a client that may know; null for any other. */
    public @Nullable CacheStatus cacheStatus() {
        return cacheStatus;
    }

    /** The remaining lifetime of the stored response of {@link #cacheStatus}. */
    public long ttlSeconds() {
        return ttlSeconds;
    }

    /** Sets how it was handled, and the remaining lifetime of the stored response, if any. */
    public void handled(CacheStatus status, long secondsLeft) {
        if (asked == null) {
            cacheStatus = status;
            ttlSeconds = secondsLeft;
        }
    }

    /** Runs {@code step} after {@code nanos}; a bug in it ends the exchange. */
    public ScheduledFuture<?> later(Runnable step, long nanos) {
        return loop().schedule(() -> take(step), Math.max(nanos, 0), TimeUnit.NANOSECONDS);
    }

    /**
     * Runs {@code step}, which was triggered by the fetch of another exchange or by a timer: a bug
     * in it ends only this exchange. On its loop.
     */
    public void take(Runnable step) {
        try {
            step.run();
        } catch (RuntimeException | Error bug) {
            handler.failed(this, bug);
        }
    }

    /** Runs {@code step} later, on its loop, unless it has ended by then. On any thread. */
    public void onLoop(Runnable step) {
        try {
            loop().execute(() -> {
                if (!isOver) {
                    take(step);
                }
            });
        } catch (RejectedExecutionException e) {
            // The proxy has stopped, and the client's connection with it.
        }
    }

    /** Ends the exchange after a bug in one of its steps. */
    public void failed(Throwable bug) {
        handler.failed(this, bug);
    }

    /**
     * Sets the parts that serve it until it ends.
     *
     * @param asServed the request with the variant that these parts assign to the client
     */
    public void servedBy(Generation parts, RequestHead asServed) {
        generation = parts;
        effective = asServed;
        ruled = RuledRequest.unchanged(asServed);
    }

    /** Whether a page of the operator is sent in place of {@code page}. */
    public boolean isReplaced(ErrorPage page) {
        return generation != null && generation.replaces(page, this);
    }

    /** Whether the request for an error page is being served. */
    public boolean isForErrorPage() {
        return asked != null;
    }

    /**
     * Serves {@code page}, the request for an error page, from now on. It is recorded nowhere: the
     * log shows the client's request and how that was handled.
     */
    public void serveErrorPage(RequestHead page) {
        isProtected = isProtected();
        asked = ruled.head();
        ruled = RuledRequest.unchanged(page);
        trace.close();
    }

    /** Begins the request phase of the rules. */
    public void ruledBy(RequestPhase begun) {
        phase = begun;
    }

    /** Sets the result of the request phase. */
    public void ruled(RuledRequest result) {
        ruled = result;
    }

    /**
     * The head of the response has left, and the rest needs none of the parts that serve it: they
     * can be replaced and released before it ends.
     */
    public void release() {
        if (!isOver && generation != null) {
            generation = generation.released();
            phase = null;
        }
    }

    /** Aborts the response, of which the head has left, after a failure. */
    public void breakOff() {
        isBrokenOff = true;
        response.abort();
    }

    /** Sets the place for the tunnel that the client asks for. */
    public void reserve(TunnelPlace place) {
        tunnel = place;
    }

    /** The place for its tunnel; null if it does not ask for one, or the origin has declined. */
    public @Nullable TunnelPlace tunnel() {
        return tunnel;
    }

    /** Gives the place for its tunnel back, if it has one. */
    public void leaveTunnel() {
        if (tunnel != null) {
            tunnel.tunnels().release();
            tunnel = null;
        }
    }

    /** Ends the exchange for its connection. */
    public void over() {
        leaveTunnel();
        if (!isOver && generation != null) {
            generation.ended(isBrokenOff || response.status() >= SERVER_ERROR);
        }
        isOver = true;
    }

    public boolean isOver() {
        return isOver;
    }

    /** Sets the delivery, which receives the events from now on. */
    public void deliverBy(Delivery next) {
        delivery = next;
    }

    /** Reports that the client connection is writable again. */
    public void writable() {
        if (delivery != null) {
            delivery.writable();
        }
    }

    /** Reports that the client has disconnected. */
    public void clientGone() {
        var last = delivery;
        delivery = null;
        if (last != null) {
            last.clientGone();
        }
    }
}
