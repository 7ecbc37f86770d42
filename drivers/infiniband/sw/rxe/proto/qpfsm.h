/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* QP states and what is allowed in each (IBTA 10.3.1) */
#ifndef RXE_PROTO_QPFSM_H
#define RXE_PROTO_QPFSM_H

#include <linux/types.h>

/* The numbers are those of the verbs ABI */
enum rxe_qp_state {
	RXE_QPS_RESET,
	RXE_QPS_INIT,
	RXE_QPS_RTR,
	RXE_QPS_RTS,
	RXE_QPS_SQD,
	RXE_QPS_SQE,
	RXE_QPS_ERR,
	RXE_QPS_COUNT,
};

/* Things that happen to a QP */
enum rxe_qp_event {
	RXE_QPE_POST_SEND, /* consumer posts to the send queue */
	RXE_QPE_POST_RECV, /* consumer posts to the receive queue */
	RXE_QPE_START_SEND, /* requester wants to start a new message */
	RXE_QPE_CONT_SEND, /* requester wants to go on with a started one */
	RXE_QPE_RX_REQUEST, /* a request arrives */
	RXE_QPE_RX_RESPONSE, /* a response arrives */
	RXE_QPE_SEND_ERROR, /* a send work request fails locally */
	RXE_QPE_RECV_ERROR, /* a receive or remote access fails */
	RXE_QPE_COUNT,
};

/* What to do about it */
enum rxe_qp_action {
	RXE_QPA_REFUSE, /* -EINVAL to the consumer, or drop the packet */
	RXE_QPA_ACCEPT, /* go on */
	RXE_QPA_HOLD, /* keep for a later state */
	RXE_QPA_FLUSH, /* complete with WR_FLUSH_ERR */
	RXE_QPA_TO_SQE, /* only the send queue stops */
	RXE_QPA_TO_ERR, /* the QP stops */
};

enum rxe_qp_action rxe_qp_react(enum rxe_qp_state state,
				enum rxe_qp_event event, bool connected);

#endif /* RXE_PROTO_QPFSM_H */
