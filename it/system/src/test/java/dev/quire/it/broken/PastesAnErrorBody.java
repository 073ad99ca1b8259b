package dev.quire.it.broken;

import dev.quire.test.Reply;
import dev.quire.test.wire.Request;

/** Includes every body in a page, also of error responses. */
final class PastesAnErrorBody extends Defect {

    @Override
    Reply taken(Request request, Reply reply) {
        boolean isErrorPage =
                isFragment(request)
                        && reply instanceof Reply.Whole(var response)
                        && response.status() >= 400;
        return isErrorPage && reply instanceof Reply.Whole(var response)
                ? new Reply.Whole(with(response, 200, response.fields(), response.body()))
                : reply;
    }
}
