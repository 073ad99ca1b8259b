package dev.quire.spring.internal.assemble;

import dev.quire.spring.internal.fields.Capabilities;
import jakarta.servlet.ServletException;
import java.io.IOException;
import org.apache.catalina.connector.Request;
import org.apache.catalina.connector.Response;
import org.apache.catalina.valves.ValveBase;

/** Stores the peer address of the connection for {@link Capabilities}. */
public final class PeerAddressValve extends ValveBase {

    public PeerAddressValve() {
        super(true);
    }

    @Override
    public void invoke(Request request, Response response) throws IOException, ServletException {
        request.setAttribute(Capabilities.PEER, request.getPeerAddr());
        getNext().invoke(request, response);
    }
}
