package dev.quire.proxy.cli;

import dev.quire.proxy.config.AdminAccess;
import dev.quire.proxy.config.HostPort;
import java.io.IOException;
import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;

/** Sends requests to the admin port of a running proxy. */
final class AdminClient {
    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(5);

    /** A reload resolves names and opens ports. */
    private static final Duration TIMEOUT = Duration.ofSeconds(60);

    private final AdminAccess access;

    AdminClient(AdminAccess access) {
        this.access = access;
    }

    /** A response of the admin API. */
    record Reply(int status, String body) {

        boolean isSuccess() {
            return status == 200 || !isComplete();
        }

        /**
         * False if an invalidation is in effect, but may be lost at a restart or has not come as
         * far in the fleet as it should.
         */
        boolean isComplete() {
            return status != 202;
        }

        /** The lines of an error, without its status. */
        List<String> problems() {
            var code = status + " ";
            return body.lines()
                    .map(line -> line.startsWith(code) ? line.substring(code.length()) : line)
                    .toList();
        }
    }

    /** Thrown if no proxy answers. */
    static final class Unreachable extends Exception {
        Unreachable(AdminAccess access, IOException cause) {
            super(
                    "nothing answers at "
                            + access.address()
                            + (cause.getMessage() == null ? "" : ": " + cause.getMessage()),
                    cause);
        }
    }

    Reply get(String target) throws Unreachable, InterruptedException {
        return send(request(target).GET().build());
    }

    Reply delete(String target) throws Unreachable, InterruptedException {
        return send(request(target).DELETE().build());
    }

    Reply post(String target, String json) throws Unreachable, InterruptedException {
        return post(target, "application/json", json);
    }

    Reply post(String target, String type, String body) throws Unreachable, InterruptedException {
        return send(
                request(target)
                        .header("Content-Type", type)
                        .POST(BodyPublishers.ofString(body))
                        .build());
    }

    private HttpRequest.Builder request(String target) throws Unreachable {
        var request = HttpRequest.newBuilder(uri(target)).timeout(TIMEOUT);
        access.token()
                .ifPresent(token -> request.header("Authorization", "Bearer " + token.secret()));
        return request;
    }

    private URI uri(String target) throws Unreachable {
        var address = access.address();
        var uri = URI.create("http://" + address + target);
        if (uri.getHost() != null) {
            return uri;
        }
        // java.net.URI does not accept an underscore in a host.
        try {
            var found = InetAddress.getByName(address.host()).getHostAddress();
            return URI.create("http://" + new HostPort(found, address.port()) + target);
        } catch (UnknownHostException e) {
            throw new Unreachable(access, e);
        }
    }

    private Reply send(HttpRequest request) throws Unreachable, InterruptedException {
        try (var client =
                HttpClient.newBuilder()
                        .version(HttpClient.Version.HTTP_1_1)
                        .connectTimeout(CONNECT_TIMEOUT)
                        .build()) {
            var response = client.send(request, BodyHandlers.ofString());
            return new Reply(response.statusCode(), response.body());
        } catch (IOException e) {
            throw new Unreachable(access, e);
        }
    }
}
