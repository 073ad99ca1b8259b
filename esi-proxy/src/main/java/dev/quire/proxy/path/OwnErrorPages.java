package dev.quire.proxy.path;

import dev.quire.core.assemble.ErrorDocument;
import dev.quire.core.assemble.ErrorPage;
import dev.quire.core.http.RequestHead;
import dev.quire.core.http.ResponseHead;
import dev.quire.core.policy.RequestFields;
import dev.quire.core.rule.ErrorPageRules;
import dev.quire.proxy.deliver.Answers;
import dev.quire.proxy.deliver.ErrorPageChannel;
import dev.quire.proxy.exchange.Exchange;
import dev.quire.proxy.exchange.Time;
import dev.quire.proxy.route.Router;
import java.time.Duration;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/**
 * Sends the operator's error pages. A page is found along the {@link RequestPath} like any other,
 * by a GET with the fields of the client's request. If its head is not there in time, or is not a
 * 200, the built-in page is sent.
 */
final class OwnErrorPages {
    private static final Duration LONGEST_WAIT = Duration.ofSeconds(1);

    private final ErrorPageRules rules;
    private final Router<RouteTarget> router;
    private final Ruling ruling;
    private final Time time;

    OwnErrorPages(ErrorPageRules rules, Router<RouteTarget> router, Ruling ruling, Time time) {
        this.rules = rules;
        this.router = router;
        this.ruling = ruling;
        this.time = time;
    }

    /** Sends a page in place of {@code error}. Returns false if no page is configured for it. */
    boolean replaces(ErrorPage error, Exchange exchange, AnswerSteps steps) {
        if (exchange.isForErrorPage()) {
            return false;
        }
        var page = rules.ofOwn(error.status(), exchange.request(), () -> prefersJson(exchange));
        if (page == null) {
            return false;
        }
        new Sending(exchange, error).begin(page, steps);
        return true;
    }

    /** Returns path and query of the page to send in place of an origin's response, or null. */
    @Nullable String inPlaceOf(ResponseHead head, Exchange exchange) {
        return head.status() < 400 || exchange.isForErrorPage()
                ? null
                : rules.ofOrigin(head.status(), exchange.request(), () -> prefersJson(exchange));
    }

    private static boolean prefersJson(Exchange exchange) {
        return ErrorDocument.isJson(exchange.effective().fields());
    }

    /** Sends {@code page} in place of {@code intercepted}, the head of an origin's response. */
    void send(Exchange exchange, String page, ResponseHead intercepted, AnswerSteps steps) {
        var error = ErrorPage.ofIntercepted(intercepted.status(), intercepted.fields());
        new Sending(exchange, error).begin(page, steps);
    }

    /** The sending of one page. On the exchange's loop. */
    private final class Sending {
        private final Exchange exchange;
        private final ErrorPage error;
        private final ErrorPageChannel channel;
        private @Nullable ClientAnswer answer;

        Sending(Exchange exchange, ErrorPage error) {
            this.exchange = exchange;
            this.error = error;
            this.channel = new ErrorPageChannel(exchange.response(), error, this::notUsable);
        }

        void begin(String page, AnswerSteps steps) {
            var client = exchange.effective();
            var asking =
                    new RequestHead(
                            "GET",
                            client.scheme(),
                            client.authority(),
                            page,
                            client.fields().without(RequestFields::isOfPageOnly));
            exchange.respondThrough(channel);
            exchange.leaveTunnel();
            exchange.serveErrorPage(asking);
            var found = ruling.ofErrorPage(exchange, asking);
            exchange.ruled(found.request());
            var content = found.content();
            var key = found.request().key();
            if (content != null) {
                Answers.fixed(exchange, content.answer(), content.fields(), time.wall());
            } else if (router.match(key) instanceof Router.Match.Matched<RouteTarget> route) {
                var target = route.target().at(found.request().origin());
                var next = new ClientAnswer(Lookup.ofErrorPage(exchange, key, target), steps);
                answer = next;
                var timer = exchange.later(this::late, LONGEST_WAIT.toNanos());
                next.begin();
                cancelIfSent(timer);
            } else {
                builtIn();
            }
        }

        private void cancelIfSent(Future<?> timer) {
            if (!channel.isWaiting()) {
                timer.cancel(false);
            }
        }

        private void late() {
            var waiting = answer;
            if (channel.isWaiting() && (waiting == null || !waiting.endsWait())) {
                builtIn();
            }
        }

        /** The page is still being written: it is ended behind that. */
        private void notUsable() {
            exchange.loop().execute(() -> exchange.take(this::builtIn));
        }

        private void builtIn() {
            if (exchange.isOver()) {
                return;
            }
            channel.drop();
            exchange.clientGone();
            exchange.respondThrough(channel.to());
            Answers.builtIn(exchange, exchange.response(), error, time.wall());
        }
    }
}
