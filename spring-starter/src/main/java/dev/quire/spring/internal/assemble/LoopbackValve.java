package dev.quire.spring.internal.assemble;

import dev.quire.spring.internal.fields.FragmentMark;
import jakarta.servlet.ServletException;
import java.io.IOException;
import org.apache.catalina.connector.Request;
import org.apache.catalina.connector.Response;
import org.apache.catalina.valves.ValveBase;

/**
 * Gives a loopback request the connection properties of the page's client. It runs before
 * everything else, since filters and Spring Security may use them.
 */
public final class LoopbackValve extends ValveBase {

    private final Loopback loopback;

    public LoopbackValve(Loopback loopback) {
        super(true);
        this.loopback = loopback;
    }

    @Override
    public void invoke(Request request, Response response) throws IOException, ServletException {
        var word = request.getHeader(Loopback.FIELD);
        if (word != null) {
            request.getCoyoteRequest().getMimeHeaders().removeHeader(Loopback.FIELD);
            var page = loopback.claim(word);
            if (page != null) {
                take(page, request);
            }
        }
        getNext().invoke(request, response);
    }

    private static void take(LoopbackPage page, Request request) {
        request.setAttribute(FragmentMark.ATTRIBUTE, FragmentMark.LOOPBACK);
        page.attributes().forEach(request::setAttribute);
        request.setSecure(page.isSecure());
        request.setRemoteAddr(page.remoteAddress());
        request.setRemoteHost(page.remoteHost());
        var coyote = request.getCoyoteRequest();
        coyote.scheme().setString(page.scheme());
        coyote.serverName().setString(page.serverName());
        coyote.setServerPort(page.serverPort());
        coyote.setRemotePort(page.remotePort());
    }
}
